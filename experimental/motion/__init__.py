"""Motion between the steps: what an actuator does while the next target is computed."""
