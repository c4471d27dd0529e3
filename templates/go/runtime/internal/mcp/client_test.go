package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestToolNames(t *testing.T) {
	t.Parallel()
	for _, c := range contract[struct {
		About    string
		Reserved []string
		Tools    []struct{ Server, Tool, Name string }
	}](t, "tool-names") {
		var entries []*entry
		for _, one := range c.Tools {
			entries = append(entries, &entry{remoteTool: remoteTool{tool: one.Tool}, server: &server{target: &target{name: one.Server}}})
		}
		for range 2 { // in both orders
			slices.Reverse(entries)
			slices.Reverse(c.Tools)
			for _, entry := range entries {
				entry.name = ""
			}
			nameTools(entries, c.Reserved)
			for i, one := range c.Tools {
				if entries[i].name != one.Name {
					t.Errorf("%s: %s of %s is called %s, want %s", c.About, one.Tool, one.Server, entries[i].name, one.Name)
				}
			}
		}
	}
	// A server that takes the hashed name of another's tool.
	s := &server{target: &target{name: "a"}}
	taken := strings.TrimPrefix(hashedName("a", "b c", ""), "a__")
	entries := []*entry{{remoteTool: remoteTool{tool: "b c"}, server: s}, {remoteTool: remoteTool{tool: taken}, server: s}}
	nameTools(entries, nil)
	if entries[0].name == entries[1].name {
		t.Errorf("both are called %s", entries[0].name)
	}
}

func TestArgumentsMustBeAnObject(t *testing.T) {
	t.Parallel()
	server := newScripted(t, "echo")
	client := connect(t, server, "s__echo")
	for _, arguments := range []string{"{", "[]", `"text"`, "1", "{} {}"} {
		mustContain(t, mustFail(t, client, "s__echo", arguments), "JSON")
	}
	for _, arguments := range []string{"", "null", "{}"} {
		mustContain(t, mustCall(t, client, "s__echo", arguments), "got {}")
	}
	exact := `{"id":12345678901234567890}`
	mustContain(t, mustCall(t, client, "s__echo", exact), exact)
	if _, known := client.Call(t.Context(), "anything", nil); known {
		t.Error("a tool that does not exist is known")
	}
	server.onMethod("tools/call", func(w http.ResponseWriter, _ *http.Request, m message) { refuse(w, m, -32602, "the city is missing") })
	if text := mustFail(t, client, "s__echo", ""); text != `MCP server "s", tool "echo": the city is missing` {
		t.Errorf("text: %s", text)
	}
}

func TestLargeCatalogueIsReachedThroughTheSelectors(t *testing.T) {
	t.Parallel()
	var tools []string
	for i := range 41 {
		tools = append(tools, fmt.Sprintf("tool-%02d", i))
	}
	server := newScripted(t, tools...)
	setup := newSetup(Server{Name: "s", URL: server.URL})
	setup.RefreshInterval = 20 * time.Millisecond
	client := setup.start(t)
	eventually(t, "connected", client.Ready)
	if names := offered(client); names != "" || len(client.Definitions()) != 2 {
		t.Errorf("offered: %s", names)
	}
	mustContain(t, mustCall(t, client, "mcp_call_tool", `{"name":"tool-07"}`), "tool-07 on")
	server.offer(tools[:40])
	eventually(t, "all are offered", func() bool { return len(client.Definitions()) == 42 })
}

func TestOwnToolMayHaveTheNameOfASelector(t *testing.T) {
	t.Parallel()
	server := newScripted(t, "echo")
	setup := newSetup(Server{Name: "s", URL: server.URL})
	setup.Reserved = []string{"mcp_list_tools", "s__echo"}
	client := setup.start(t)
	eventually(t, "connected", client.Ready)
	names := []string{}
	for _, tool := range client.Definitions() {
		names = append(names, tool.Name)
	}
	if len(names) != 2 || names[1] != "mcp_call_tool" || names[0] == "s__echo" {
		t.Errorf("offered: %v", names)
	}
	if _, known := client.Call(t.Context(), "mcp_list_tools", nil); known {
		t.Error("the own tool is answered here")
	}
}

func TestSelectors(t *testing.T) {
	t.Parallel()
	weather, music := newScripted(t, "forecast", "search"), newScripted(t, "play song", "search")
	gone := newScripted(t)
	gone.setDown(true)
	client := newSetup(Server{Name: "weather", URL: weather.URL}, Server{Name: "music", URL: music.URL}, Server{Name: "gone", URL: gone.URL}).start(t)
	eventually(t, "all tools", func() bool { return len(client.Definitions()) == 6 })
	for arguments, want := range map[string]string{
		`{}`:                                   "weather/forecast weather/search music/play song music/search; missing [gone]",
		`{"server":"music"}`:                   "music/play song music/search; missing []",
		`{"search":"FORECAST does"}`:           "weather/forecast; missing [gone]",
		`{"search":"search","server":"music"}`: "music/search; missing []",
		`{"search":"nothing"}`:                 "; missing [gone]",
	} {
		var list struct {
			Count   int
			Tools   []struct{ Server, Name string }
			Missing []string `json:"servers_not_connected"`
		}
		if err := json.Unmarshal([]byte(mustCall(t, client, "mcp_list_tools", arguments)), &list); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range list.Tools {
			names = append(names, tool.Server+"/"+tool.Name)
		}
		if got := fmt.Sprintf("%s; missing %v", strings.Join(names, " "), list.Missing); got != want || list.Count != len(list.Tools) {
			t.Errorf("%s: %s (%d), want %s", arguments, got, list.Count, want)
		}
	}
	mustContain(t, mustCall(t, client, "mcp_list_tools", `{"search":"forecast"}`),
		`"count":1`, `"tools":[{"description":"Does forecast.","input_schema":{"properties":{},"type":"object"},"name":"forecast","server":"weather"}]`)
	mustContain(t, mustFail(t, client, "mcp_list_tools", `{"server":"radio"}`), "radio", "weather, music")

	for arguments, want := range map[string]string{
		`{"name":"forecast"}`:                             "forecast on",
		`{"name":"forecast","arguments":{"city":"Oslo"}}`: `got {"city":"Oslo"}`,
		`{"name":"play song"}`:                            "play song on",
		`{"name":"search","server":"music"}`:              "search on " + music.address(),
		`{"name":"music__search"}`:                        "search on " + music.address(),
	} {
		mustContain(t, mustCall(t, client, "mcp_call_tool", arguments), want)
	}
	for arguments, want := range map[string]string{
		`{}`:                                   "name",
		`{"name":"search"}`:                    "weather, music",
		`{"name":"forecast","server":"music"}`: "music",
		`{"name":"dance"}`:                     "mcp_list_tools",
		`{"name":"forecast","arguments":"Os"}`: "arguments",
	} {
		mustContain(t, mustFail(t, client, "mcp_call_tool", arguments), want)
	}
}

func TestLongListIsCut(t *testing.T) {
	t.Parallel()
	names := []string{strings.Repeat("x", 200<<10), strings.Repeat("y", 200<<10), "z"}
	server := newScripted(t, names...)
	client := newSetup(Server{Name: "s", URL: server.URL}).start(t)
	eventually(t, "all tools", func() bool { return len(client.Definitions()) == 5 })
	mustContain(t, mustCall(t, client, "mcp_list_tools", "{}"), `"count":3`, `"note":"only 1 of 3 tools are listed; narrow the search"`)
}
