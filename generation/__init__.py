"""Language models behind the ports of ``companions``: over HTTP, in this process, and one that needs no
model.
"""
