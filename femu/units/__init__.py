"""Unit constants: write `250*mm`, `206*GPa`; divide to read a result, `drift / mm`.

femu itself knows no units: it computes in whatever consistent set it is given. These constants are
in SI (metre, kilogram, second, newton), the set in which the ground motions that femu reads come
out (m/s²). Mass and weight are different things: `ton` is a mass of 1000 kg, `tonf` is the force
with which gravity pulls it.
"""

from __future__ import annotations

from math import pi

# length
m = 1.0
mm = 1e-3
cm = 1e-2
km = 1e3
inch = 0.0254
ft = 12 * inch

# time
s = 1.0
ms = 1e-3
minute = 60.0

# acceleration of gravity (standard value, exact by definition)
g = 9.80665

# mass
kg = 1.0
gram = 1e-3
ton = 1e3
"""Metric ton, 1000 kg: a mass."""
lb = 0.45359237
"""Pound: a mass."""

# force
N = 1.0
kN = 1e3
MN = 1e6
kgf = kg * g
tonf = ton * g
lbf = lb * g
kip = 1e3 * lbf

slug = lbf / ft
"""Mass that one pound-force accelerates by 1 ft/s²."""

# stress
Pa = 1.0
kPa = 1e3
MPa = 1e6
GPa = 1e9
psi = lbf / inch**2
ksi = 1e3 * psi

# angle and frequency
rad = 1.0
degree = pi / 180
Hz = 1.0
gal = cm / s**2
"""Acceleration of 1 cm/s², used by seismologists."""
