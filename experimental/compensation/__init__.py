"""Compensation of the delay of an actuator."""
