"""Small dense algebra on raw pointers, for the filters.

Matrices are row by row: entry (i, j) of an n-column matrix is at ``i*n + j``. States have 1 to
about 50 entries, so plain loops beat LAPACK: no call overhead, nothing allocated, the same bits on
every machine of one kind.
"""

from __future__ import annotations

from math import isfinite, sqrt

from femu.kernels import inlined, routine, shift

helper = routine
"""A compiled function for use inside kernels, too large to be inlined everywhere."""

ROUND_OFF = 1e-14  # relative size below which a pivot of a semi-definite matrix is round-off
JACOBI_SWEEPS = 30  # the Jacobi iteration converges quadratically; 6 to 8 sweeps are usual


@inlined
def copy(count, source, target):
    for i in range(count):
        target[i] = source[i]


@inlined
def fill(count, value, target):
    for i in range(count):
        target[i] = value


@inlined
def all_finite(count, values):
    total = 0.0
    for i in range(count):
        total += values[i] * 0.0  # 0 for a number, NaN for NaN and infinity: no branch in the loop
    return total == 0.0


@inlined
def usable(count, values):
    """Whether all are numbers to calculate with.

    Finite, and below about 1e77, so that squares of squares are finite too.
    """
    total = 0.0
    for i in range(count):
        square = values[i] * values[i]
        total += square * square * 0.0
    return total == 0.0


@helper
def cholesky(n, P, L):
    """Lower factor L with L L' = P; True if P is positive semi-definite within round-off.

    A pivot that vanishes within round-off gives a zero column, which is exact for a semi-definite
    matrix: a state known exactly keeps zero variance.
    """
    for j in range(n):
        diagonal = P[j * n + j]
        pivot = diagonal
        for k in range(j):
            pivot -= L[j * n + k] * L[j * n + k]
        tiny = n * ROUND_OFF * abs(diagonal)
        if not isfinite(pivot) or pivot < -tiny or diagonal < 0.0:
            return False
        root = sqrt(pivot) if pivot > tiny else 0.0
        inverse = 1.0 / root if root > 0.0 else 0.0
        L[j * n + j] = root
        for i in range(j):
            L[i * n + j] = 0.0
        for i in range(j + 1, n):
            rest = P[i * n + j]
            for k in range(j):
                rest -= L[i * n + k] * L[j * n + k]
            if root == 0.0 and abs(rest) > sqrt(n * ROUND_OFF * abs(diagonal * P[i * n + i])):
                return False
            L[i * n + j] = rest * inverse
    return True


@helper
def jacobi(n, A, V):
    """Eigenvalues on the diagonal of A (overwritten), eigenvectors in the columns of V."""
    for i in range(n):
        for j in range(n):
            V[i * n + j] = 1.0 if i == j else 0.0
    for _ in range(JACOBI_SWEEPS):
        off, scale = 0.0, 0.0
        for i in range(n):
            scale += A[i * n + i] * A[i * n + i]
            for j in range(i):
                off += A[i * n + j] * A[i * n + j]
        if off <= 1e-32 * scale:
            break
        for p in range(n - 1):
            for q in range(p + 1, n):
                a = A[p * n + q]
                if a == 0.0:
                    continue
                tau = (A[q * n + q] - A[p * n + p]) / (2.0 * a)
                t = (1.0 if tau >= 0.0 else -1.0) / (abs(tau) + sqrt(1.0 + tau * tau))
                c = 1.0 / sqrt(1.0 + t * t)
                s = t * c
                for k in range(n):
                    x, y = A[k * n + p], A[k * n + q]
                    A[k * n + p], A[k * n + q] = c * x - s * y, s * x + c * y
                for k in range(n):
                    x, y = A[p * n + k], A[q * n + k]
                    A[p * n + k], A[q * n + k] = c * x - s * y, s * x + c * y
                for k in range(n):
                    x, y = V[k * n + p], V[k * n + q]
                    V[k * n + p], V[k * n + q] = c * x - s * y, s * x + c * y


@helper
def repair(n, P, w):
    """Replace P by the nearest positive semi-definite matrix; ``w`` has room for 2n² + n numbers.

    Nearest in the Frobenius norm of the matrix scaled to a unit diagonal (the states have different
    units): the negative eigenvalues of the scaled matrix become zero. A variance that is negative
    becomes zero, with its row.
    """
    A, V, d = w, shift(w, n * n), shift(w, 2 * n * n)
    for i in range(n):
        d[i] = sqrt(P[i * n + i]) if P[i * n + i] > 0.0 else 0.0
    for i in range(n):
        for j in range(n):
            size = d[i] * d[j]
            A[i * n + j] = 0.5 * (P[i * n + j] + P[j * n + i]) / size if size > 0.0 else 0.0
    jacobi(n, A, V)
    for i in range(n):
        for j in range(i + 1):
            total = 0.0
            for k in range(n):
                if A[k * n + k] > 0.0:
                    total += V[i * n + k] * A[k * n + k] * V[j * n + k]
            P[i * n + j] = P[j * n + i] = total * d[i] * d[j]


@inlined
def solve_lower(n, L, b):
    """b <- L⁻¹ b; a zero pivot gives a zero entry (pseudo-inverse of a deficient factor)."""
    for i in range(n):
        total = b[i]
        for k in range(i):
            total -= L[i * n + k] * b[k]
        b[i] = total / L[i * n + i] if L[i * n + i] > 0.0 else 0.0


@inlined
def solve_upper(n, L, b):
    """b <- L'⁻¹ b."""
    for i in range(n - 1, -1, -1):
        total = b[i]
        for k in range(i + 1, n):
            total -= L[k * n + i] * b[k]
        b[i] = total / L[i * n + i] if L[i * n + i] > 0.0 else 0.0


@helper
def outer_product(n, L, P):
    """P = L L' of a lower factor."""
    for i in range(n):
        for j in range(i + 1):
            total = 0.0
            for k in range(j + 1):
                total += L[i * n + k] * L[j * n + k]
            P[i * n + j] = P[j * n + i] = total


@helper
def triangularise(rows, n, A, L):
    """Lower L with L L' = A' A, by Householder reflections of A (rows × n, overwritten).

    No square of a small number is ever formed, so half of the digits that a Cholesky factor of A'A
    loses are kept. The vector of a reflection is v with v_j = 1, from a column divided by its
    largest entry: no size under- or overflows.
    """
    for j in range(n):
        most = 0.0
        for i in range(j, rows):
            most = max(most, abs(A[i * n + j]))
        if most > 0.0:
            length = 0.0
            for i in range(j, rows):
                part = A[i * n + j] / most
                length += part * part
            length = most * sqrt(length)
            head = A[j * n + j]
            alpha = -length if head > 0.0 else length
            v0 = head - alpha
            for i in range(j + 1, rows):
                A[i * n + j] /= v0
            A[j * n + j] = 1.0
            scale = -v0 / alpha  # 2 / v'v
            for c in range(j + 1, n):
                total = 0.0
                for i in range(j, rows):
                    total += A[i * n + j] * A[i * n + c]
                total *= scale
                for i in range(j, rows):
                    A[i * n + c] -= total * A[i * n + j]
            sign = -1.0 if alpha < 0.0 else 1.0
            L[j * n + j] = length
            for c in range(j + 1, n):
                L[c * n + j] = sign * A[j * n + c]
        else:
            for c in range(j, n):
                L[c * n + j] = 0.0
        for c in range(j):
            L[c * n + j] = 0.0


@helper
def factor(n, P, L, w):
    """Factor P, repairing it first if it is not positive semi-definite.

    Returns the number of repairs (0 or 1).
    """
    if cholesky(n, P, L):
        return 0
    repair(n, P, w)
    # from the eigenvectors that this has left: Cholesky may fail once more where the rank is not
    # full
    A, V, d = w, shift(w, n * n), shift(w, 2 * n * n)
    for k in range(n):
        root = sqrt(A[k * n + k]) if A[k * n + k] > 0.0 else 0.0
        for i in range(n):
            V[i * n + k] *= root * d[i]
    for k in range(n):
        for i in range(n):
            A[k * n + i] = V[i * n + k]
    triangularise(n, n, A, L)
    return 1


@helper
def downdate(n, L, v):
    """L L' <- L L' - v v' (v is overwritten). Returns the number of repairs: 1 if the result is not
    positive.

    Hyperbolic rotations. Where the downdate would take more than a pivot holds, the pivot is left
    at round-off.
    """
    repairs = 0
    for j in range(n):
        pivot = L[j * n + j]
        rest = (pivot - v[j]) * (pivot + v[j])
        if rest <= n * ROUND_OFF * pivot * pivot:
            repairs = 1 if abs(v[j]) > 0.0 else repairs
            continue
        root = sqrt(rest)
        c, s = root / pivot, v[j] / pivot
        L[j * n + j] = root
        for i in range(j + 1, n):
            L[i * n + j] = (L[i * n + j] - s * v[i]) / c
            v[i] = c * v[i] - s * L[i * n + j]
    return repairs




