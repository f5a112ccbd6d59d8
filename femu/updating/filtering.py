"""The filter of an updater: made for the noise that is known, and made anew where that changes or where it was overconfident."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from femu.errors import InputError
from femu.filters.base import Filter
from femu.filters.bounds import Bounds, Inequality
from femu.filters.estimate import COUNT as POINT_COUNT
from femu.filters.estimate import COUNTER, COUNTERS, LOG_LIKELIHOOD, Estimate
from femu.run import address
from femu.updating import step as code
from femu.updating.layout import Layout

Array = npt.NDArray[np.float64]
FilterMaker = Callable[..., Filter]
FORCE_SHARE = 0.1  # process noise of a force in the state, as a share of the noise of its measurement
SMOOTH = 0.5  # a residual whose second differences are this small beside it is not noise
NOISE_FLOOR = 1e-4  # least standard deviation of the force noise, as a share of the largest force that was heard
REOPENED_FLOOR = 1e-3  # the same, of a filter that became overconfident with what it had heard


class Filtering(Layout):
    """Keeps the filter of an updater; base of `femu.updating.ModelUpdater`."""

    seed: int
    force_drift: float | None
    displacement_noise: Array
    inequalities: tuple[tuple[Mapping[str, float], float, str], ...]
    _make_filter: FilterMaker
    _given_noise: Array | None
    _stiffness: Array
    _hidden_effect: Array

    def _set_listening(self, listening: bool) -> None:
        self._listening = listening
        self._options[code.LISTENING] = float(listening)

    def _measurement_noise(self) -> Array:
        """Covariance of the measured forces: noise of the sensors, and what an error of the displacement does."""
        k = self._stiffness
        return np.asarray(np.diag(self._noise**2) + k @ np.diag(self.displacement_noise**2) @ k.T)

    def _install_filter(self) -> None:
        """The filter for the present noise, at its start."""
        n, R = self.twin.size, self._measurement_noise()
        mean = [u.inside(u.start) for u in self.unknowns] + [0.0] * self._extra
        prior = [(u.std * u.slope()) ** 2 for u in self.unknowns]
        drift = [(u.process_noise * u.slope()) ** 2 for u in self.unknowns]
        lower, upper = [list(part) for part in np.split(self._limits, 2)]
        if self.mode == "joint":
            back = np.linalg.pinv(self.twin.scale * self.twin.matrix.T) / self._force_unit[:, None]
            noise = np.diagonal(back @ R @ back.T)
            prior += list(noise)
            share = FORCE_SHARE**2 * R if self.force_drift is None else self.force_drift**2 * np.eye(n)
            drift += list(np.diagonal(back @ share @ back.T))
        elif self.mode == "state":  # in units of what moves the force by its noise
            noise = (self._hidden_effect @ np.linalg.inv(R) * self._hidden_effect).sum(axis=1)
            self._hidden_unit[:] = 1.0 / np.sqrt(noise)
            prior += [1.0] * self._extra
            drift += [FORCE_SHARE**2] * self._extra
        lower += [-np.inf] * self._extra
        upper += [np.inf] * self._extra
        self.bounds = Bounds(lower, upper, self._rules())
        self.filter = self._make_filter(self.space, np.array(drift), R, bounds=self.bounds)
        self._prior = np.array(prior)
        self.estimate: Estimate = self.filter.init(mean, np.diag(prior), seed=self.seed)
        predict, correct = self.filter._addresses()
        if self.history_rule == "separate" and self.filter._d[POINT_COUNT] != self._c[code.POINTS]:
            raise InputError("ModelUpdater", "history", "separate", "needs a filter of 2L+1 sigma points",
                             'use history="extra" with this filter')
        self._kept = np.zeros_like(self.estimate.vector)
        for place, array in ((code.FILTER_D, self.filter._d), (code.FILTER_P, self.filter._p),
                             (code.ESTIMATE, self.estimate.vector), (code.KEPT, self._kept)):
            self._c[place] = address(array)
        self._c[code.PREDICT], self._c[code.UPDATE] = predict, correct
        self._c[code.KEPT_SIZE] = self.filter._scratch_start

    def _rules(self) -> list[Inequality]:
        """Inequalities between unknowns in the units of the filter."""
        rules = []
        for coefficients, limit, gives_way in self.inequalities:
            for name in (*coefficients, gives_way):
                if name not in self.names:
                    raise InputError("ModelUpdater", "inequalities", name, f"must be one of the unknowns {self.names}")
            places = {self.names.index(n): float(c) * self.unknowns[self.names.index(n)].scale for n, c in coefficients.items()}
            rules.append(Inequality(places, float(limit), self.names.index(gives_way)))
        return rules

    def _stop_listening(self) -> None:
        """Noise of the forces from the samples heard so far, and the filter with it, from where it stands."""
        n = self.twin.size
        d, f = self._heard[:, :n], self._heard[:, n:]
        use = np.isfinite(d).all(axis=1) & np.isfinite(f).all(axis=1)
        if use.sum() < n + 3:
            return  # too little was heard: go on listening
        line = np.column_stack([np.ones(use.sum()), d[use]])
        fit = np.linalg.lstsq(line, f[use], rcond=None)[0]
        rest = f[use] - line @ fit
        largest = np.maximum(np.abs(f[use]), np.abs(np.diagonal(self._stiffness) * d[use])).max(axis=0)
        found = np.sqrt((rest**2).sum(axis=0) / max(use.sum() - n - 1, 1))
        rough = np.sqrt((np.diff(rest, n=2, axis=0) ** 2).mean(axis=0) / 6.0)
        found = np.where(rough < SMOOTH * found, rough, found)  # it has yielded already: what is smooth is not noise
        self._noise[:] = np.maximum(found, np.maximum(NOISE_FLOOR * largest, np.finfo(float).tiny))
        self._set_listening(False)
        self._renew_filter()

    def _renew_filter(self) -> None:
        """The filter with the noise as it is known now: parameters at their start, forces or history variables as they are."""
        known = len(self.unknowns)
        beyond, unit = self.estimate.mean[known:].copy(), self._hidden_unit.copy()
        self._install_filter()
        if self._extra:  # forces or history variables go on from where they are
            if self.mode == "state":
                beyond *= unit / self._hidden_unit
            self.estimate = self.filter.init([*self.estimate.mean[:known], *beyond], self.estimate.covariance, seed=self.seed)
            self._c[code.ESTIMATE] = address(self.estimate.vector)

    def _reopen(self) -> None:
        """An overconfident filter becomes as uncertain about the parameters as it was at the start, where it stands now."""
        if self._given_noise is None:
            # forces were small while it listened: noise far below what counts beside those of now makes it overconfident
            floor = REOPENED_FLOOR * self._statistics.reshape(len(self._noise), -1)[:, code.LARGEST_FORCE]
            if (floor > self._noise).any():
                self._noise[:] = np.maximum(self._noise, floor)
                # what it has learned with that noise counts for nothing: the parameters begin again
                counts = {place: self.estimate.vector[place] for place in (*COUNTERS.values(), LOG_LIKELIHOOD, COUNTER)}
                self._renew_filter()
                for place, value in counts.items():
                    self.estimate.vector[place] = value
        known, P = len(self.unknowns), np.diag(self._prior)
        P[known:, known:] = self.estimate.covariance[known:, known:]
        fresh = self.filter.init(self.bounds.project(self.estimate.mean), P, seed=self.seed)
        for place in (*COUNTERS.values(), LOG_LIKELIHOOD, COUNTER):
            fresh.vector[place] = self.estimate.vector[place]
        self.estimate.vector[:] = fresh.vector
        self._memory[[code.STRAINED, code.USUAL, code.WAIT]] = 0.0, 1.0, code.SETTLING
        self._memory[code.REOPENED] += 1.0
