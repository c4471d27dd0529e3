package mcp

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"adl.example/agent/internal/tool"
)

func TestSchemasAreRepairedOrLeftOut(t *testing.T) {
	t.Parallel()
	for _, c := range contract[struct {
		About    string
		Schema   any
		Repaired map[string]any
		LeftOut  bool
	}](t, "tool-schemas") {
		given, _ := json.Marshal(c.Schema)
		repaired, err := repairSchema(c.Schema)
		if (err != nil) != c.LeftOut {
			t.Errorf("%s: %v", c.About, err)
			continue
		}
		got, _ := json.Marshal(repaired)
		want, _ := json.Marshal(c.Repaired)
		if !c.LeftOut && string(got) != string(want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.About, got, want)
		}
		if after, _ := json.Marshal(c.Schema); string(after) != string(given) {
			t.Errorf("%s: the server's schema was changed to %s", c.About, after)
		}
	}
	large := map[string]any{"description": strings.Repeat("x", maxSchema)}
	for _, schema := range []any{large, "text", []any{}, 5.0} {
		if _, err := repairSchema(schema); err == nil {
			t.Errorf("accepted: %.50v", schema)
		}
	}
}

// definitions lets a server offer the tools and returns what the model is offered of them, and the log.
func definitions(t *testing.T, tools string) ([]tool.Definition, string) {
	t.Helper()
	server := newScripted(t)
	server.onMethod("tools/list", func(w http.ResponseWriter, _ *http.Request, m message) { reply(w, m, `{"tools":`+tools+`}`) })
	setup := newSetup(Server{Name: "s", URL: server.URL})
	client := setup.start(t)
	eventually(t, "connected", setup.log.contains("MCP server connected"))
	all := client.Definitions()
	return all[:len(all)-2], setup.log.String()
}

func TestOddToolIsLeftOutAlone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ odd, logged string }{
		"null":              {`null`, ""},
		"no name":           {`{"inputSchema":{"type":"object"}}`, "has no name"},
		"a number for name": {`{"name":5,"inputSchema":{"type":"object"}}`, `tool \"5\": its definition cannot be decoded`},
		"a text for schema": {`{"name":"bad","inputSchema":"text"}`, `tool \"bad\": its input schema is not an object`},
		"an unknown type":   {`{"name":"bad","inputSchema":{"properties":{"a":{"type":"str"}}}}`, `tool \"bad\": its input schema is not valid: unknown type \"str\"`},
		"a lost reference":  {`{"name":"bad","inputSchema":{"properties":{"a":{"$ref":"#/$defs/x"}}}}`, `tool \"bad\": its input schema is not valid`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, log := definitions(t, `[{"name":"good","inputSchema":{"type":"object"}},`+c.odd+`,{"name":"nice"}]`)
			if len(got) != 2 || got[0].Name != "s__good" || got[1].Name != "s__nice" {
				t.Errorf("offered: %v", got)
			}
			mustContain(t, log, c.logged, "server=s")
		})
	}
}

func TestDescriptionsAreCleanedAndCut(t *testing.T) {
	t.Parallel()
	dirty := `a\u0000\u001b[31mb\u202ec\u2066d\ue0001\ufeffe\nf\tg\u200dh`
	got, _ := definitions(t, `[{"name":"a","description":"`+dirty+`","inputSchema":{"type":"object","properties":{"p":{"description":"`+dirty+`"}}}},
		{"name":"b","description":"`+strings.Repeat("ä", 100_000)+`","inputSchema":{"type":"object"}},
		{"name":"c","title":"Title","inputSchema":{"type":"object"}}]`)
	const clean = "a[31mbcd1e\nf\tg\u200dh"
	property := got[0].Schema["properties"].(map[string]any)["p"].(map[string]any)["description"]
	if got[0].Description != clean || property != clean {
		t.Errorf("%q, %q", got[0].Description, property)
	}
	if text := got[1].Description; len(text) > maxDescription+10 || !strings.HasSuffix(text, "ä [cut]") {
		t.Errorf("%d bytes, ending in %q", len(text), text[len(text)-10:])
	}
	if got[2].Description != "Title" {
		t.Errorf("%q", got[2].Description)
	}
}

func TestListsOfToolsThatDoNotEnd(t *testing.T) {
	t.Parallel()
	tools := func(page, count, size int) string {
		var all []string
		for i := range count {
			all = append(all, fmt.Sprintf(`{"name":"t-%03d-%04d","description":%q,"inputSchema":{"type":"object"}}`, page, i, strings.Repeat("x", size)))
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	for name, c := range map[string]struct {
		page   func(page int) string
		most   int // requests
		offers int
		logged string
	}{
		"the same cursor":  {func(int) string { return `{"tools":` + tools(0, 2, 0) + `,"nextCursor":"again"}` }, 2, 2, "is repeated"},
		"ever new cursors": {func(n int) string { return fmt.Sprintf(`{"tools":%s,"nextCursor":"%d"}`, tools(0, 2, 0), n) }, 2, 2, "is repeated"},
		"ever new tools":   {func(n int) string { return fmt.Sprintf(`{"tools":%s,"nextCursor":"%d"}`, tools(n, 600, 0), n) }, 9, maxTools, "more than 5000 tools"},
		"ever new bytes":   {func(n int) string { return fmt.Sprintf(`{"tools":%s,"nextCursor":"%d"}`, tools(n, 1, 9<<18), n) }, 2, 2, "more than 4194304 bytes"},
		"huge tools":       {func(n int) string { return fmt.Sprintf(`{"tools":%s,"nextCursor":"%d"}`, tools(n, 1, 5<<20), n) }, 1, 1, "more than 4194304 bytes"},
		"no answer to the rest": {func(n int) string {
			return map[bool]string{true: `{"tools":` + tools(0, 2, 0) + `,"nextCursor":"1"}`}[n == 0]
		}, 2, 2, "no answer within"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newScripted(t)
			server.onMethod("tools/list", func(w http.ResponseWriter, r *http.Request, m message) {
				page := c.page(len(server.seen("tools/list")) - 1)
				if page == "" {
					hang(w, r, m)
				}
				reply(w, m, page)
			})
			setup := newSetup(Server{Name: "s", URL: server.URL})
			setup.DirectTools = 10_000
			if c.logged == "no answer within" {
				setup.DialTimeout = 100 * 1_000_000
			}
			client := setup.start(t)
			eventually(t, "connected", setup.log.contains("MCP server connected"))
			mustContain(t, setup.log.String(), "the list is incomplete", c.logged, "server=s")
			if got := len(client.Definitions()) - 2; got != c.offers {
				t.Errorf("%d tools are offered, want %d", got, c.offers)
			}
			if requests := len(server.seen("tools/list")); requests > c.most {
				t.Errorf("%d requests, want %d at most", requests, c.most)
			}
		})
	}
}

// show lets a server answer with the result and returns what the model gets.
func show(t *testing.T, result string) tool.Result {
	t.Helper()
	server := newScripted(t, "show")
	server.onMethod("tools/call", func(w http.ResponseWriter, _ *http.Request, m message) { reply(w, m, result) })
	shown, _ := connect(t, server, "s__show").Call(t.Context(), "s__show", nil)
	return shown
}

func TestResultsAreReadable(t *testing.T) {
	t.Parallel()
	data := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("\x89PNG", 300)))
	for name, c := range map[string]struct{ result, want string }{
		"text":             {`{"content":[{"type":"text","text":"a <b> & c"}]}`, "a <b> & c"},
		"two texts":        {`{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`, "a\n\nb"},
		"nothing":          {`{"content":[]}`, "(the tool returned no content)"},
		"null content":     {`{"content":null}`, "(the tool returned no content)"},
		"image":            {`{"content":[{"type":"image","mimeType":"image/png","data":"DATA"}]}`, "[image: image/png, 1200 bytes, not shown]"},
		"audio":            {`{"content":[{"type":"audio","mimeType":"audio/wav","data":"DATA"}]}`, "[audio: audio/wav, 1200 bytes, not shown]"},
		"blob":             {`{"content":[{"type":"resource","resource":{"uri":"file:///a.bin","blob":"DATA"}}]}`, "[resource: file:///a.bin, unknown type, 1200 bytes, not shown]"},
		"text resource":    {`{"content":[{"type":"resource","resource":{"uri":"file:///a.txt","text":"hello"}}]}`, "[resource: file:///a.txt]\nhello"},
		"link":             {`{"content":[{"type":"resource_link","uri":"https://x.test/a","name":"a","description":"the a","mimeType":"text/plain","size":7}]}`, "[link: https://x.test/a, a, the a, text/plain]"},
		"structured":       {`{"content":[],"structuredContent":{"b":[1,"<x>"],"a":null}}`, `{"a":null,"b":[1,"<x>"]}`},
		"structured list":  {`{"content":[],"structuredContent":[1,2]}`, `[1,2]`},
		"structured twice": {`{"content":[{"type":"text","text":"{ \"a\": 1 }"}],"structuredContent":{"a":1}}`, `{"a":1}`},
		"structured, text": {`{"content":[{"type":"text","text":"one"}],"structuredContent":{"a":1}}`, "one\n\n" + `{"a":1}`},
		"unknown content":  {`{"content":[{"type":"text","text":"a"},{"type":"video","data":"DATA"},{"type":"text","text":"b"}]}`, "a\n\n[content of type \"video\", not shown]\n\nb"},
		"null among texts": {`{"content":[null,{"type":"text","text":"b"}],"structuredContent":{"a":1}}`, "[content of type \"\", not shown]\n\nb\n\n" + `{"a":1}`},
		"bad base64":       {`{"content":[{"type":"image","mimeType":"image/png","data":"!"},{"type":"text","text":"b"}]}`, "[content of type \"image\", not shown]\n\nb"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if result := show(t, strings.ReplaceAll(c.result, "DATA", data)); result.Text != c.want || result.IsError {
				t.Errorf("got %+v, want %q", result, c.want)
			}
		})
	}
	failure := tool.Result{Text: "no such city\n\n[content of type \"video\", not shown]", IsError: true}
	if result := show(t, `{"isError":true,"content":[{"type":"text","text":"no such city"},{"type":"video"}]}`); result != failure {
		t.Errorf("result: %+v", result)
	}
}
