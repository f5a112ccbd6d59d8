"""Small hybrid models, and a plain rendering of the implicit method on one of them."""

import numpy as np

from femu import Model
from femu.elements import TwoNodeLink, ZeroLength
from femu.experimental import EmulatedSpecimen, ExperimentalElement, Sensors
from femu.materials import BoucWen, Elastic

MASSES, LINK = (1.2, 0.8, 0.5), 300.0
CHAIN = np.array([[1.0, 0.0], [-1.0, 1.0]])
SPRINGS = (900.0, 500.0)
ALPHA, YIELD = 0.1, 0.01


def frame(name="frame"):
    """Three masses in a row; what is between ground, first and second is still missing."""
    model = Model(name)
    model.node(0, 0.0, 0.0, fixed=True)
    for k, mass in enumerate(MASSES, start=1):
        model.node(k, 0.0, 0.0, fixed=("y", "rz"), mass=(mass, 0.0, 0.0))
    model.add(ZeroLength("top", 2, 3, {"x": Elastic(LINK)}, damped=True))
    return model


def laws(linear):
    shape = 0.5 / YIELD**2
    return [
        Elastic(k) if linear else BoucWen(alpha=ALPHA, k=k, n=2, gamma=shape, beta=shape)
        for k in SPRINGS
    ]


def ordinary(linear=True):
    """All of it numerical."""
    model = frame()
    for k, law in enumerate(laws(linear), start=1):
        model.add(ZeroLength(f"spring {k}", k - 1, k, {"x": law}))
    return model


def hybrid(linear=True, *, noise=(0.0, 0.0), seed=0, specimen=None, **options):
    """The two lower springs are one specimen of two actuators."""
    model = frame()
    made = specimen or EmulatedSpecimen(
        laws(linear), coordinates=CHAIN, sensors=Sensors(*noise), seed=seed
    )
    model.add(ExperimentalElement("specimen", [(1, "x"), (2, "x")], specimen=made, **options))
    return model


def masses(link, extra=0.6e6):
    """One mass on an experimental element and a spring."""
    model = Model("masses")
    model.node("A", 0.0, 0.0, fixed=True)
    model.node("B", 2.0, 0.0, fixed=("y", "rz"), mass=(1e4, 0.0, 0.0))
    model.add(link)
    model.add(TwoNodeLink("other", "A", "B", {"x": Elastic(extra)}))
    return model


class Plain:
    """The implicit method in plain numpy: np.polyfit, np.roots, full matrices."""

    def __init__(
        self,
        dt,
        ground,
        damping,
        *,
        alpha_f=1.0,
        noise,
        clamp,
        estimates,
        reach,
        tolerance,
        failing=(),
    ):
        self.dt, self.ground, self.a = dt, ground, alpha_f
        self.beta, self.gamma = (2.0 - alpha_f) ** 2 / 4.0, 1.5 - alpha_f
        self.clamp, self.estimates, self.reach, self.tolerance, self.failing = (
            clamp,
            estimates,
            reach,
            tolerance,
            failing,
        )
        self.M = np.diag(MASSES)
        self.C = damping * self.M
        self.K0 = CHAIN.T @ np.diag(SPRINGS) @ CHAIN
        self.numerical = LINK * np.array([[0.0, 0.0, 0.0], [0.0, 1.0, -1.0], [0.0, -1.0, 1.0]])
        self.springs0, self.Phi = np.linalg.eigh(self.K0)
        self.least = 10.0 * np.maximum(noise[0], noise[1] / self.springs0)

    def learn(self, d, r, last):
        """Springs from an increment, and whether there was anything to learn."""
        moved, force = self.Phi.T @ (d - last[0]), self.Phi.T @ (r - last[1])
        found, clear = self.springs.copy(), np.abs(moved) > self.least
        found[clear] = np.clip(
            force[clear] / moved[clear],
            self.clamp[0] * self.springs0[clear],
            self.clamp[1] * self.springs0[clear],
        )
        return found, bool(clear.any())

    def estimate(self, v, last):
        tau = np.array([-3.0, -2.0, -1.0, 0.0])
        r = np.zeros(2)
        for channel in range(2):
            c = np.polyfit(tau, self.samples[:, 0, channel], 2)
            c[2] -= v[channel]
            roots = [z.real for z in np.roots(c) if abs(z.imag) < 1e-9]
            near = [z for z in roots if abs(z) <= self.reach]
            if not near:
                return self.springs.copy(), False
            r[channel] = np.polyval(
                np.polyfit(tau, self.samples[:, 1, channel], 2), min(near, key=abs)
            )
        return self.learn(v, r, last)

    def run(self, specimen, steps):
        dt, beta, gamma, a = self.dt, self.beta, self.gamma, self.a
        u, v, acc = np.zeros((3, 3))
        self.springs, self.samples = self.springs0.copy(), np.zeros((4, 2, 2))
        re, before = np.zeros(2), np.zeros(3)
        out = {"u": [u.copy()], "K": [], "updated": [], "iterations": [], "fallback": []}
        for step in range(1, steps + 1):
            predictor = u + dt * v + 0.5 * dt**2 * acc
            m = specimen.apply(predictor[:2], step * dt)
            self.samples = np.concatenate([self.samples[1:], [[m.displacement, m.force]]])
            load = -self.M @ np.ones(3) * self.ground[step]

            def forces(x, K, m=m, u=u, v=v, acc=acc, load=load):
                r = m.force + K @ (x[:2] - m.displacement)
                ax = acc + (x - (u + dt * v + 0.5 * dt**2 * acc)) / (beta * dt**2)
                vx = v + dt * ((1.0 - gamma) * acc + gamma * ax)
                held = self.numerical @ x + self.C @ vx
                held[:2] += r
                return load - held, r, vx, ax

            def solve(x, K, before=before, forces=forces):
                unbalance, _, _, ax = forces(x, K)
                R = a * unbalance + (1.0 - a) * before - self.M @ ax
                A = self.M / (beta * dt**2) + a * (gamma / (beta * dt) * self.C + self.numerical)
                A[:2, :2] += a * K
                return x + np.linalg.solve(A, R)

            def stiffness(springs):
                return self.K0 + self.Phi @ np.diag(springs - self.springs0) @ self.Phi.T

            x, done, count = predictor.copy(), False, 0
            if step not in self.failing:
                springs, updated = self.estimate(x[:2], (u[:2], re))
                for count in range(1, 16):
                    new = solve(x, stiffness(springs))
                    done = np.linalg.norm(new - x) <= self.tolerance
                    x = new
                    if count < self.estimates:
                        springs, updated = self.estimate(x[:2], (u[:2], re))
                    if done:
                        break
            if not done:
                springs, updated = self.learn(m.displacement, m.force, (u[:2], re))
                x, count = solve(predictor, stiffness(springs)), count + 1
            self.springs, K = springs, stiffness(springs)
            before, re, v, acc = forces(x, K)
            u = x
            for key, value in (
                ("u", u),
                ("K", K),
                ("updated", updated),
                ("iterations", count),
                ("fallback", not done),
            ):
                out[key].append(np.copy(value))
        return {key: np.array(values) for key, values in out.items()}
