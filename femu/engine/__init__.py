"""What a model is compiled to and run by.

Program, state, workspace, equations and their solution.
"""
