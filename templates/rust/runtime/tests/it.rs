mod contracts;
mod mcp;
