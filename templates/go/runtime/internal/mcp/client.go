// Package mcp connects the agent to MCP servers and offers their tools to the model.
//
// A goroutine for each server keeps it connected. The server may be down, start late, restart or lose its sessions at any
// time: the agent answers throughout, and the catalogue of tools follows what the servers offer.
package mcp

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"adl.example/agent/internal/tool"
)

const (
	// shutdownGrace bounds [Client.Close].
	shutdownGrace = 3 * time.Second
	// maxName is the longest name of a tool that models accept, in bytes.
	maxName = 64
	// maxListed bounds the definitions in one result of mcp_list_tools, in bytes.
	maxListed = 256 << 10
)

// Options describes the agent, and the servers of its manifest.
type Options struct {
	// Servers are the servers of the manifest, in its order.
	Servers []Server
	// Reserved are the names of the agent's own tools, which no tool of a server may have.
	Reserved []string
	// Name and Version are those of the agent.
	Name, Version string
	// Logger logs what happens to the servers. Secrets are never logged.
	Logger *slog.Logger
	// Lookup finds environment variables, as os.LookupEnv does.
	Lookup func(name string) (value string, set bool)
}

// Client keeps the connections to all servers. It implements [tool.Source].
type Client struct {
	config    Config
	options   Options
	servers   []*server
	selectors tool.Set
	connected atomic.Bool // a server was connected

	work    context.Context // until Close begins
	stop    context.CancelFunc
	life    context.Context // until Close ends
	kill    context.CancelFunc
	running sync.WaitGroup // goroutines of servers and sessions
}

// New returns a client, which connects in [Client.Start]. The error names the variable that is at fault.
func New(config Config, options Options) (*Client, error) {
	if err := config.settleRetries(options.Lookup); err != nil {
		return nil, err
	}
	targets, err := config.targets(options.Servers, func(name string) (string, bool) {
		value, set := options.Lookup(name)
		if set && value == "" { // like in a copy of .env.example that is not filled in
			options.Logger.Warn("a variable that an MCP server needs is empty", "variable", name)
		}
		return value, set
	})
	if err != nil {
		return nil, err
	}
	c := &Client{config: config, options: options}
	c.work, c.stop = context.WithCancel(context.Background())
	c.life, c.kill = context.WithCancel(context.Background())
	for _, target := range targets {
		c.servers = append(c.servers, newServer(c, target))
	}
	c.selectors = slices.DeleteFunc(c.selectorTools(), func(selector tool.Tool) bool {
		return slices.Contains(options.Reserved, selector.Name) // an own tool of that name wins
	})
	return c, nil
}

// Start begins to connect to all servers and returns at once.
func (c *Client) Start() {
	for _, server := range c.servers {
		c.running.Go(server.run)
	}
}

// Close ends all sessions, also those that are being opened.
func (c *Client) Close() error {
	defer c.kill()
	c.stop()
	ended := make(chan struct{})
	go func() {
		c.running.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return nil
	case <-time.After(shutdownGrace):
		return errors.New("mcp: servers did not end their sessions in time")
	}
}

// Ready reports whether a server was connected, or all are given up.
func (c *Client) Ready() bool {
	waiting := func(server *server) bool { return server.over.Err() == nil }
	return c.connected.Load() || !slices.ContainsFunc(c.servers, waiting)
}

// Definitions implements [tool.Source]: every tool and the selectors, or the selectors alone when there are many tools.
func (c *Client) Definitions() []tool.Definition {
	var definitions []tool.Definition
	if entries := c.catalogue(); len(entries) <= c.config.DirectTools {
		for _, entry := range entries {
			definitions = append(definitions, tool.Definition{Name: entry.name, Description: entry.description, Schema: entry.schema})
		}
	}
	return append(definitions, c.selectors.Definitions()...)
}

// Call implements [tool.Source]. A failure is a result too, so that the model can act on it.
func (c *Client) Call(ctx context.Context, name string, arguments json.RawMessage) (tool.Result, bool) {
	for _, entry := range c.catalogue() {
		if entry.name == name {
			return entry.server.call(ctx, entry.tool, arguments), true
		}
	}
	return c.selectors.Call(ctx, name, arguments)
}

// entry is one tool of one server.
type entry struct {
	remoteTool
	server *server
	name   string // for the model
}

// catalogue returns what all servers offer now, by server in the order of configuration, then by name.
func (c *Client) catalogue() []*entry {
	var entries []*entry
	for _, server := range c.servers {
		server.mu.Lock()
		for _, remote := range server.tools {
			entries = append(entries, &entry{remoteTool: remote, server: server})
		}
		server.mu.Unlock()
	}
	nameTools(entries, append([]string{"mcp_list_tools", "mcp_call_tool"}, c.options.Reserved...))
	return entries
}

var (
	validName        = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)
	invalidCharacter = regexp.MustCompile(`[^A-Za-z0-9_-]`)
)

// nameTools gives each tool its name for the model: `<server>__<tool>` if that is valid and unambiguous, else a hashed
// name. The same tools get the same names, whatever their order.
func nameTools(entries []*entry, reserved []string) {
	taken := map[string]bool{}
	for _, name := range reserved {
		taken[name] = true
	}
	for _, entry := range entries {
		name := entry.server.name + "__" + entry.tool
		ambiguous := strings.Contains(entry.server.name, "__") || strings.HasSuffix(entry.server.name, "_")
		if !ambiguous && len(name) <= maxName && validName.MatchString(name) && !taken[name] {
			entry.name, taken[name] = name, true
		}
	}
	for _, entry := range entries {
		for salt := ""; entry.name == ""; salt += "\x00" {
			if name := hashedName(entry.server.name, entry.tool, salt); !taken[name] {
				entry.name, taken[name] = name, true
			}
		}
	}
}

// hashedName returns a valid name that ends with a hash. The salt distinguishes names with equal hashes.
func hashedName(server, tool, salt string) string {
	suffix := "_" + shortHash(server+"\x00"+tool+salt)
	name := invalidCharacter.ReplaceAllString(server+"__"+tool, "_")
	if !validName.MatchString(name) {
		name = "mcp_" + name
	}
	return strings.TrimRight(name[:min(len(name), maxName-len(suffix))], "_") + suffix
}

func shortHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:4])
}

// selectorTools returns the tools through which the model reaches a catalogue of any size.
func (c *Client) selectorTools() tool.Set {
	return tool.Set{
		tool.New("mcp_list_tools", "Lists the tools of the connected MCP servers with their descriptions and input schemas. "+
			"Use it to find a tool for mcp_call_tool.", `{"type": "object", "properties": {
			"search": {"type": "string", "description": "Words that must all appear in the name or description of a tool."},
			"server": {"type": "string", "description": "List the tools of this server alone."}}}`, c.listTools),
		tool.New("mcp_call_tool", "Calls a tool of an MCP server, as listed by mcp_list_tools.", `{"type": "object", "properties": {
			"name": {"type": "string", "description": "The name of the tool."},
			"server": {"type": "string", "description": "The server of the tool; needed when several servers have a tool of that name."},
			"arguments": {"type": "object", "properties": {}, "description": "The arguments, after the tool's input schema."}},
			"required": ["name"]}`, c.callTool),
	}
}

// listTools implements mcp_list_tools.
func (c *Client) listTools(_ context.Context, request struct{ Search, Server string }) (string, error) {
	var names, missing []string
	for _, server := range c.servers {
		names = append(names, server.name)
		if (request.Server == "" || server.name == request.Server) && server.current() == nil {
			missing = append(missing, server.name)
		}
	}
	if request.Server != "" && !slices.Contains(names, request.Server) {
		return "", fmt.Errorf("MCP server %q not found; the servers are: %s", request.Server, strings.Join(names, ", "))
	}
	count, size, tools := 0, 0, []json.RawMessage{}
	for _, entry := range c.catalogue() {
		text := strings.ToLower(strings.Join([]string{entry.server.name, entry.tool, entry.description}, " "))
		absent := func(word string) bool { return !strings.Contains(text, word) }
		if request.Server != "" && entry.server.name != request.Server ||
			slices.ContainsFunc(strings.Fields(strings.ToLower(request.Search)), absent) {
			continue
		}
		count++
		definition := encode(map[string]any{"server": entry.server.name, "name": entry.tool,
			"description": entry.description, "input_schema": entry.schema})
		if size += len(definition); size <= maxListed {
			tools = append(tools, json.RawMessage(definition))
		}
	}
	answer := map[string]any{"count": count, "tools": tools}
	if len(missing) > 0 {
		answer["servers_not_connected"] = missing
	}
	if len(tools) < count {
		answer["note"] = fmt.Sprintf("only %d of %d tools are listed; narrow the search", len(tools), count)
	}
	return encode(answer), nil
}

// callTool implements mcp_call_tool. The name is that of the server or that for the model.
func (c *Client) callTool(ctx context.Context, request struct {
	Name, Server string
	Arguments    json.RawMessage
}) (string, error) {
	var found []*entry
	var servers []string
	for _, entry := range c.catalogue() {
		if (request.Name == entry.tool || request.Name == entry.name) && (request.Server == "" || request.Server == entry.server.name) {
			found, servers = append(found, entry), append(servers, entry.server.name)
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("MCP tool %q not found on server %q; see mcp_list_tools", request.Name, cmp.Or(request.Server, "any"))
	case 1:
		result := found[0].server.call(ctx, found[0].tool, request.Arguments)
		if result.IsError {
			return "", errors.New(result.Text)
		}
		return result.Text, nil
	default:
		return "", fmt.Errorf("several MCP servers have a tool %q; name one of: %s", request.Name, strings.Join(servers, ", "))
	}
}
