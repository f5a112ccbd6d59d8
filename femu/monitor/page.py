"""The page: figures and text of a `Watch`, renewed a few times per second.

A browser that draws more slowly than that must not lag further. So each renewal carries a number,
the browser sends it back when it has drawn, and the next one waits for it.
"""

from __future__ import annotations

import html
import socket
import time as clock
from typing import Any

import numpy as np
from bokeh.document import Document
from bokeh.layouts import column, row
from bokeh.models import (
    ColumnDataSource,
    CustomJS,
    Div,
    NumericInput,
    Range1d,
    Select,
    Span,
    Toggle,
)
from bokeh.plotting import figure

from femu.experimental.channels import quantity, unit_of
from femu.monitor.watch import NEAR, RECENT, Watch
from femu.support.printable import printable

EVERY_MILLISECONDS = 250
PATIENCE = 30.0  # seconds after which a page that does not answer is sent the next renewal
# Okabe and Ito
BLUE, VERMILION, GREEN, GREY, ORANGE = "#0072B2", "#D55E00", "#009E73", "#9A9A9A", "#E69F00"
WIDTH, HEIGHT, GAP = 620, 270, 20
WHOLE, LAST = "whole test", f"last {RECENT:g} s"
TOOLS = "pan,wheel_zoom,box_zoom,reset,save"
_COLOURS = {
    "running": GREEN,
    "finished": BLUE,
    "stopped": VERMILION,
    "silent": ORANGE,
    "waiting for the journal": GREY,
    "journal cannot be read": VERMILION,
}
FONT = {"font-family": "system-ui, sans-serif", "color": "#222222"}


def _figure(title: str, x: str, y: str, **options: Any) -> Any:
    made: Any = figure(
        title=title,
        x_axis_label=x,
        y_axis_label=y,
        width=WIDTH,
        height=HEIGHT,
        tools=TOOLS,
        active_scroll="wheel_zoom",
        output_backend="canvas",
        **options,
    )
    made.toolbar.logo = None
    made.title.text_font_size = "13px"
    made.axis.axis_label_text_font_style = "normal"
    made.grid.grid_line_color = "#e8e8e8"
    made.outline_line_color = "#bbbbbb"
    return made


def plain(text: str) -> str:
    """A text that Bokeh does not take for mathematics, in which a name could hide a link."""
    text = printable(text)
    for sign in ("$$", "\\[", "\\("):
        text = text.replace(sign, f"{sign[0]}\N{ZERO WIDTH SPACE}{sign[1]}")
    return text


def _legend(made: Any) -> None:
    """The legend in a line above the figure, so that it covers nothing."""
    legend = made.legend[0]
    if legend in made.center:
        made.center.remove(legend)
        made.add_layout(legend, "above")
    legend.location, legend.orientation = "left", "horizontal"
    legend.border_line_color, legend.padding, legend.margin = None, 2, 2
    legend.label_text_font_size = "11px"
    legend.click_policy = "hide"


class Page:
    """One browser's page. It shows one actuator of one element at a time."""

    def __init__(self, watch: Watch, document: Document) -> None:
        self.watch, self.document = watch, document
        self._drawn = -1  # what of the watch is on the page
        self._sent = clock.monotonic()
        # numbers of the last renewal that was sent, and of the last that was drawn
        self.renewal, self.answer = (
            NumericInput(value=0, visible=False, name=name) for name in ("renewal", "answer")
        )
        self.renewal.js_on_change(
            "value",
            CustomJS(
                args={"renewal": self.renewal, "answer": self.answer},
                code="""
            requestAnimationFrame(() => requestAnimationFrame(() => { answer.value = renewal.value }))""",
            ),
        )
        document.title = f"femu monitor: {watch.path}"
        self.heading, self.alarms = (
            Div(width=2 * WIDTH, styles=FONT, name=name, disable_math=True)
            for name in ("heading", "alarms")
        )
        self.element = Select(title="element", options=[], width=220)
        self.actuator = Select(title="actuator", options=["1"], value="1", width=100)
        self.span = Select(title="time", options=[WHOLE, LAST], value=LAST, width=140)
        self.pause = Toggle(label="pause", width=100, align="end", name="pause")
        self._figures()
        self.estimates.visible = self.consistency.visible = False
        choices = row(self.element, self.actuator, self.span, self.pause, self.renewal, self.answer)
        # figures without data leave their place to the next
        figures = row(
            self.tracking,
            self.loop,
            self.estimates,
            self.consistency,
            self.pace,
            self.limits,
            width=2 * WIDTH + GAP,
            styles={"flex-wrap": "wrap"},
        )
        document.add_root(column(self.heading, self.alarms, choices, figures))
        for chooser in (self.element, self.actuator, self.span):
            chooser.on_change("value", lambda attr, old, new: self.draw())
        document.on_event("document_ready", lambda event: self._answered())
        document.add_periodic_callback(self.tick, EVERY_MILLISECONDS)
        self.tick()

    def _answered(self) -> None:
        """The page is in the browser, with everything drawn so far."""
        self.answer.value = self.renewal.value

    def tick(self) -> None:
        """Read what is new, and draw it unless the page is paused or still draws.

        What did not change is not sent again.
        """
        self.watch.refresh()
        drawing = (
            self.answer.value != self.renewal.value and clock.monotonic() - self._sent < PATIENCE
        )
        if self.pause.active or drawing:
            return
        if self.watch.changes != self._drawn:
            self.draw()
        else:
            self._words()

    def draw(self) -> None:
        """Update the figures and text."""
        watch = self.watch
        self._drawn, self._sent = watch.changes, clock.monotonic()
        names = list(watch.channels)
        if self.element.options != names:
            self.element.options = names
            if self.element.value not in names and names:
                self.element.value = names[0]
        self._words()
        channels = watch.channels.get(self.element.value, [])
        actuators = [c.name for c in channels] or ["1"]
        if self.actuator.options != actuators:
            self.actuator.options, self.actuator.value = actuators, actuators[0]
        if not channels:
            return
        channel = channels[actuators.index(self.actuator.value)]
        self._name(channel.name)
        t, d, c = (channel.recent if self.span.value == LAST else channel.tracking.rows).T
        self.tracking_data.data = {"t": t, "measured": d, "command": c}
        self.loop_data.data = dict(zip(("d", "low", "high"), channel.envelope.rows.T, strict=True))
        self.latest_data.data = dict(zip("df", channel.latest.T, strict=True))
        t, s = watch.step_time.rows.T
        self.pace_data.data = {"t": t, "ms": 1e3 * s}
        if watch.budget is not None:
            self.budget.location, self.budget.visible = 1e3 * watch.budget, True
        self._parameters()
        shares = [(plain(label), share, limit) for label, share, limit in watch.shares()]
        self.limits.visible = bool(shares)
        self.limits.y_range.factors = [label for label, _, _ in shares][::-1]
        self.limits_data.data = {
            "label": [s[0] for s in shares],
            "share": [100.0 * s[1] for s in shares],
            "colour": [VERMILION if s[1] >= NEAR else BLUE for s in shares],
        }
        self.renewal.value += 1  # the last to be sent

    # --- pieces ---

    def _figures(self) -> None:
        """Longer than a page: the figures of the page, one after the other."""
        self.tracking_data = ColumnDataSource(
            {"t": [], "measured": [], "command": []}, name="tracking"
        )
        self.tracking = _figure("command against measured", "time (s)", "displacement")
        self.tracking.line(
            "t",
            "command",
            source=self.tracking_data,
            color=GREY,
            line_width=3,
            legend_label="command",
        )
        self.tracking.line(
            "t",
            "measured",
            source=self.tracking_data,
            color=BLUE,
            line_width=1.2,
            legend_label="measured",
        )
        _legend(self.tracking)
        self.loop_data = ColumnDataSource({"d": [], "low": [], "high": []})
        self.latest_data = ColumnDataSource({"d": [], "f": []}, name="latest")
        self.loop = _figure("force against displacement", "displacement", "force")
        self.loop.varea(
            "d",
            "low",
            "high",
            source=self.loop_data,
            fill_color=GREY,
            fill_alpha=0.35,
            legend_label="range so far",
        )
        self.loop.line(
            "d",
            "f",
            source=self.latest_data,
            color=VERMILION,
            line_width=1.5,
            legend_label="latest",
        )
        _legend(self.loop)
        self.estimate_data: dict[str, ColumnDataSource] = {}
        self.estimates = _figure(
            "parameters over their first estimate, with two standard deviations",
            "time (s)",
            "ratio",
        )
        self.estimates.add_layout(Span(location=1.0, dimension="width", line_color="#bbbbbb"))
        self.innovation_data = ColumnDataSource({"t": [], "mean": [], "low": [], "high": []})
        self.consistency = _figure(
            "mean normalised innovation and its band", "time (s)", "squared innovation / variance"
        )
        self.consistency.varea(
            "t", "low", "high", source=self.innovation_data, fill_color=BLUE, fill_alpha=0.15
        )
        self.consistency.line("t", "mean", source=self.innovation_data, color=BLUE, line_width=1.2)
        self.pace_data = ColumnDataSource({"t": [], "ms": []})
        self.pace = _figure(
            "wall clock between two measurements", "time (s)", "ms", y_axis_type="log"
        )
        self.pace.line("t", "ms", source=self.pace_data, color=BLUE)
        self.budget = Span(
            location=0.0, dimension="width", line_color=VERMILION, line_dash="dashed", visible=False
        )
        self.pace.add_layout(self.budget)
        self.limits_data = ColumnDataSource({"label": [], "share": [], "colour": []})
        self.limits = _figure(
            "largest use of each limit so far",
            "% of the limit",
            "",
            x_range=Range1d(start=0, end=110),
            y_range=[],
        )
        self.limits.hbar(
            "label", right="share", height=0.6, source=self.limits_data, color="colour"
        )
        self.limits.add_layout(
            Span(location=100.0, dimension="height", line_color=VERMILION, line_dash="dashed")
        )

    def _name(self, actuator: str) -> None:
        """Say what the chosen actuator measures: displacement and force, or rotation and moment."""
        moved, pushed = (plain(quantity(what, actuator)) for what in ("displacement", "force"))
        unit = " (rad)" if unit_of("displacement", actuator) == "rotation" else ""
        self.tracking.yaxis.axis_label = self.loop.xaxis.axis_label = f"{moved}{unit}"
        self.loop.yaxis.axis_label, self.loop.title.text = pushed, f"{pushed} against {moved}"

    def _parameters(self) -> None:
        watch = self.watch
        colours = (BLUE, VERMILION, GREEN, ORANGE, "#CC79A7", "#56B4E9", GREY)
        for name, series in watch.parameters.items():
            t, value, two = series.rows.T
            scale = value[0] if len(value) and value[0] != 0.0 else 1.0
            if name not in self.estimate_data:
                source = self.estimate_data[name] = ColumnDataSource(
                    {"t": [], "value": [], "low": [], "high": []}
                )
                colour = colours[(len(self.estimate_data) - 1) % len(colours)]
                self.estimates.varea(
                    "t", "low", "high", source=source, fill_color=colour, fill_alpha=0.12
                )
                self.estimates.line(
                    "t",
                    "value",
                    source=source,
                    color=colour,
                    line_width=1.5,
                    legend_label=plain(name),
                )
                _legend(self.estimates)
            self.estimate_data[name].data = {
                "t": t,
                "value": value / scale,
                "low": (value - two) / scale,
                "high": (value + two) / scale,
            }
        self.estimates.visible = bool(watch.parameters)
        if watch.innovation is not None:
            t, mean, low, high = watch.innovation.rows.T
            self.consistency.visible = bool(np.isfinite(mean).any())
            self.innovation_data.data = {"t": t, "mean": mean, "low": low, "high": high}

    def _words(self) -> None:
        watch = self.watch
        model = html.escape(plain(str(watch.about.get("model", watch.path))))
        total = watch.about.get("steps")
        done = f"step {watch.steps:,}" + (f" of {total:,}" if isinstance(total, int) else "")
        outcome = (
            html.escape(plain(watch.message or watch.ending.value))
            if watch.ending is not None
            else ""
        )
        rate = f", {watch.rate:.0f} measurements per second" if watch.ending is None else ""
        self.heading.text = (
            f"<h2 style='margin:4px 0'>{model} <span id='state' "
            f"style='color:white;background:{_COLOURS[watch.state]};border-radius:4px;padding:1px "
            f"8px;font-size:70%'>{watch.state}</span></h2><div id='progress'>{done}, t = "
            f"{watch.time:.3f} s{rate}. {outcome}</div>"
        )
        words = watch.alarms()
        self.alarms.text = "".join(
            f"<div style='color:{VERMILION}'>&#9650; {html.escape(plain(w))}</div>" for w in words
        )


def serve(path: str, port: int = 0, address: str = "127.0.0.1") -> Any:
    """A server of the page for a journal, started; ``server.io_loop.start()`` keeps it going.

    ``server.url`` is the address of the page, with its token if others than this computer can reach
    it.
    """
    from bokeh.server.server import Server

    from femu.monitor.doors import ARGUMENT, Doors

    watch = Watch(path)
    port = port or _free_port(address)
    doors = Doors(address, port)

    def show(document: Document) -> None:
        Page(watch, document)

    server = Server(
        {"/": show},
        port=port,
        address=address,
        allow_websocket_origin=doors.origins,
        auth_provider=doors,
        num_procs=1,
    )
    doors.pages = lambda: len(server.get_sessions("/"))
    server.start()
    shown = f"[{address}]" if ":" in address else address
    server.url = f"http://{shown}:{port}/" + (f"?{ARGUMENT}={doors.token}" if doors.token else "")
    return server


def _free_port(address: str) -> int:
    """A port that nobody uses; the hosts of the page must be known before its server is made."""
    with socket.create_server((address, 0), family=_family(address)) as free:
        return int(free.getsockname()[1])


def _family(address: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in address else socket.AF_INET
