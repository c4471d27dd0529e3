// Package mcp connects the agent to MCP servers and offers their tools to the model.
//
// Each server is kept connected by a goroutine of its own: it may be down, come late, restart or lose its sessions at any
// time, and the agent goes on answering meanwhile. The tools of all servers make up one catalogue, which follows what
// the servers announce.
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
	"os"
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
	// maxListed bounds the definitions in one answer of mcp_list_tools, in bytes.
	maxListed = 256 << 10
)

// Options is what the agent says about itself and its manifest.
type Options struct {
	// Servers are the servers of the manifest, in its order.
	Servers []Server
	// Reserved are the names of the agent's own tools, which no tool of a server may have.
	Reserved []string
	// Name and Version are what the agent calls itself towards the servers.
	Name, Version string
	// Logger gets what happens to the servers. Secrets are never logged.
	Logger *slog.Logger
	// Lookup finds environment variables; nil means os.LookupEnv.
	Lookup func(name string) (value string, set bool)
}

// Client holds the connections to all servers. It is a [tool.Source].
type Client struct {
	config    Config
	options   Options
	servers   []*server
	selectors tool.Set
	rebuild   sync.Mutex
	catalogue atomic.Pointer[catalogue]

	work    context.Context // until Close begins
	stop    context.CancelFunc
	life    context.Context // until Close ends
	kill    context.CancelFunc
	running sync.WaitGroup // goroutines of servers, and of sessions that are being closed
}

// New makes a client. It does not connect; see [Client.Start]. The error names the variable that is at fault.
func New(config Config, options Options) (*Client, error) {
	if options.Lookup == nil {
		options.Lookup = os.LookupEnv
	}
	if err := config.settleRetries(options.Lookup); err != nil {
		return nil, err
	}
	targets, err := config.targets(options.Servers, lookup(options.Lookup).warnEmpty(options.Logger))
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
	c.refreshCatalogue()
	return c, nil
}

// Start begins to connect to all servers and returns at once.
func (c *Client) Start() {
	for _, server := range c.servers {
		c.running.Go(server.run)
	}
}

// Close ends all sessions, those that are just being opened included.
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

// Ready tells whether a server has been connected, or none is left to wait for.
func (c *Client) Ready() bool {
	waiting := false
	for _, server := range c.servers {
		server.mu.Lock()
		known, ended := server.known, server.ended
		server.mu.Unlock()
		if known {
			return true
		}
		waiting = waiting || !ended
	}
	return !waiting
}

// Definitions implements [tool.Source]: every tool and the selectors, or the selectors alone when there are many tools.
func (c *Client) Definitions() []tool.Definition { return c.catalogue.Load().offered }

// Call implements [tool.Source]. Whatever goes wrong is told in the result, in words that the model can act on.
func (c *Client) Call(ctx context.Context, name string, arguments json.RawMessage) (tool.Result, bool) {
	if entry := c.catalogue.Load().byName[name]; entry != nil {
		return entry.server.call(ctx, entry.tool, arguments), true
	}
	return c.selectors.Call(ctx, name, unquoted(arguments))
}

// unquoted returns the arguments of mcp_call_tool with those of the tool as an object: some models write them as a text.
func unquoted(arguments json.RawMessage) json.RawMessage {
	var request map[string]json.RawMessage
	var text string
	if json.Unmarshal(arguments, &request) == nil && json.Unmarshal(request["arguments"], &text) == nil {
		request["arguments"] = json.RawMessage(cmp.Or(text, "{}"))
		if encoded, err := json.Marshal(request); err == nil {
			return encoded
		}
	}
	return arguments
}

// catalogue is what all servers offer at one moment. It is never modified.
type catalogue struct {
	entries []*entry // by server in the order of configuration, then by name
	byName  map[string]*entry
	offered []tool.Definition
}

// entry is one tool of one server.
type entry struct {
	remoteTool
	server *server
	name   string // for the model
}

// refreshCatalogue makes the catalogue anew from what the servers offer now.
func (c *Client) refreshCatalogue() {
	c.rebuild.Lock()
	defer c.rebuild.Unlock()
	next := &catalogue{offered: []tool.Definition{}}
	for _, server := range c.servers {
		server.mu.Lock()
		for _, remote := range server.tools {
			next.entries = append(next.entries, &entry{remoteTool: remote, server: server})
		}
		server.mu.Unlock()
	}
	next.byName = nameTools(next.entries, append([]string{"mcp_list_tools", "mcp_call_tool"}, c.options.Reserved...))
	if len(next.entries) <= c.config.DirectTools {
		for _, entry := range next.entries {
			next.offered = append(next.offered, tool.Definition{Name: entry.name, Description: entry.description, Schema: entry.schema})
		}
	}
	next.offered = append(next.offered, c.selectors.Definitions()...)
	c.catalogue.Store(next)
}

var (
	legalName        = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)
	illegalCharacter = regexp.MustCompile(`[^A-Za-z0-9_-]`)
)

// nameTools gives each tool its name for the model: `<server>__<tool>` where that is a legal name which nobody else can
// have, else a hashed one. The same tools get the same names, whatever their order.
func nameTools(entries []*entry, reserved []string) map[string]*entry {
	named := make(map[string]*entry, len(entries))
	for _, entry := range entries {
		name := entry.server.name + "__" + entry.tool
		ambiguous := strings.Contains(entry.server.name, "__") || strings.HasSuffix(entry.server.name, "_")
		if !ambiguous && len(name) <= maxName && legalName.MatchString(name) && !slices.Contains(reserved, name) {
			entry.name, named[name] = name, entry
		}
	}
	for _, entry := range entries {
		for salt := ""; entry.name == ""; salt += "\x00" {
			name := hashedName(entry.server.name, entry.tool, salt)
			if named[name] == nil && !slices.Contains(reserved, name) {
				entry.name, named[name] = name, entry
			}
		}
	}
	return named
}

// hashedName returns a legal name that says as much as there is room for, and is made unique by a hash. The salt tells
// names apart whose hashes are alike.
func hashedName(server, tool, salt string) string {
	suffix := "_" + shortHash(server+"\x00"+tool+salt)
	name := illegalCharacter.ReplaceAllString(server+"__"+tool, "_")
	if !legalName.MatchString(name) {
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

// listTools answers mcp_list_tools.
func (c *Client) listTools(_ context.Context, request struct{ Search, Server string }) (string, error) {
	var names, missing []string
	for _, server := range c.servers {
		names = append(names, server.name)
		if (request.Server == "" || server.name == request.Server) && !server.isConnected() {
			missing = append(missing, server.name)
		}
	}
	if request.Server != "" && !slices.Contains(names, request.Server) {
		return "", fmt.Errorf("there is no MCP server %q; the servers are: %s", request.Server, strings.Join(names, ", "))
	}
	count, size, tools := 0, 0, []json.RawMessage{}
	for _, entry := range c.catalogue.Load().entries {
		known := strings.ToLower(strings.Join([]string{entry.server.name, entry.tool, entry.title, entry.description}, " "))
		unknown := func(word string) bool { return !strings.Contains(known, word) }
		if request.Server != "" && entry.server.name != request.Server ||
			slices.ContainsFunc(strings.Fields(strings.ToLower(request.Search)), unknown) {
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

// callTool answers mcp_call_tool. The tool may have the name that its server gave it, or that the model knows it by.
func (c *Client) callTool(ctx context.Context, request struct {
	Name, Server string
	Arguments    json.RawMessage
}) (string, error) {
	catalogue := c.catalogue.Load()
	candidates := slices.DeleteFunc(slices.Clone(catalogue.entries), func(entry *entry) bool { return entry.tool != request.Name })
	if entry := catalogue.byName[request.Name]; len(candidates) == 0 && entry != nil {
		candidates = append(candidates, entry)
	}
	candidates = slices.DeleteFunc(candidates, func(entry *entry) bool {
		return request.Server != "" && entry.server.name != request.Server
	})
	switch len(candidates) {
	case 0:
		return "", fmt.Errorf("there is no MCP tool %q on server %q; see mcp_list_tools", request.Name, cmp.Or(request.Server, "any"))
	case 1:
		result := candidates[0].server.call(ctx, candidates[0].tool, request.Arguments)
		if result.IsError {
			return "", errors.New(result.Text)
		}
		return result.Text, nil
	default:
		var servers []string
		for _, candidate := range candidates {
			servers = append(servers, candidate.server.name)
		}
		return "", fmt.Errorf("several MCP servers have a tool %q, so name one: %s", request.Name, strings.Join(servers, ", "))
	}
}
