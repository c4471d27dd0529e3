package mcp

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"
)

func TestHeadersReachTheirServer(t *testing.T) {
	t.Parallel()
	server := newScripted(t, "echo")
	stream := openStream(nil)
	server.on(func(w http.ResponseWriter, r *http.Request, m message) bool {
		if r.URL.Path == "/mcp" {
			http.Redirect(w, r, "/mcp/", http.StatusPermanentRedirect) // within the origin, which is followed
			return true
		}
		return stream(w, r, m)
	})
	client := newSetup(Server{Name: "s", URL: server.URL + "/mcp",
		Headers: map[string]string{"Authorization": "Bearer token", "x-team": "red", "Accept": "nothing"}}).start(t)
	eventuallyOffered(t, client, "s__echo")
	mustCall(t, client, "s__echo", "")
	eventually(t, "the stream is open", func() bool { return len(server.seen(http.MethodGet)) == 2 })
	_ = client.Close()
	for _, method := range []string{"initialize", "tools/list", "tools/call", http.MethodGet, http.MethodDelete} {
		requests := server.seen(method)
		if len(requests) == 0 {
			t.Errorf("no %s", method)
		}
		for _, request := range requests {
			if request.header.Get("Authorization") != "Bearer token" || request.header.Get("X-Team") != "red" ||
				request.header.Get("Accept") == "nothing" && method != http.MethodDelete {
				t.Errorf("%s: %v", method, request.header)
			}
		}
	}
}

func TestNothingIsSentToAnotherOrigin(t *testing.T) {
	t.Parallel()
	other := newScripted(t, "echo")
	elsewhere := strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		path   string
		want   []string
	}{
		"307":          {http.RedirectHandler(other.URL+"/moved?key=value", http.StatusTemporaryRedirect).ServeHTTP, "/mcp", []string{"another origin", other.URL + "/moved"}},
		"308":          {http.RedirectHandler(elsewhere, http.StatusPermanentRedirect).ServeHTTP, "/mcp", []string{"another origin", elsewhere}},
		"301":          {http.RedirectHandler(other.URL, http.StatusMovedPermanently).ServeHTTP, "/mcp", []string{"another origin"}},
		"301 the same": {http.RedirectHandler("/other?key=value", http.StatusMovedPermanently).ServeHTTP, "/mcp", []string{"301 Moved Permanently", "/other"}},
		"endpoint event": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "event: endpoint\ndata: %s/message\n\n", other.URL)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, "/sse", []string{"another origin", other.URL}},
	} {
		server := httptest.NewServer(c.answer)
		setup := newSetup(Server{Name: "s", URL: server.URL + c.path})
		client := setup.start(t)
		eventually(t, name+": an attempt fails", setup.log.contains("not reachable"))
		mustContain(t, setup.log.String(), c.want...)
		mustNotContain(t, setup.log.String(), "key=value")
		_ = client.Close()
		server.Close()
	}
	if requests := other.seen(""); len(requests) != 0 {
		t.Errorf("sent: %v", requests)
	}
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		if requests := other.seen(method); len(requests) != 0 {
			t.Errorf("sent: %v", requests)
		}
	}
}

func TestSameOrigin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		origin, target string
		same           bool
	}{
		{"http://h/a", "http://h/b", true},
		{"http://h", "http://H:80/", true},
		{"https://h", "https://h:443", true},
		{"http://h", "https://h", false},
		{"http://h", "http://h:81", false},
		{"http://h:8080", "https://h:8080", false},
		{"https://h", "http://h", false},
		{"http://h", "http://h.evil", false},
		{"http://h", "http://x.h", false},
	} {
		origin, _ := url.Parse(c.origin)
		target, _ := url.Parse(c.target)
		if sameOrigin(origin, target) != c.same {
			t.Errorf("%s and %s: want %v", c.origin, c.target, c.same)
		}
	}
}

func TestEventStreamsOfEveryLegalForm(t *testing.T) {
	t.Parallel()
	const message = `{"jsonrpc":"2.0","method":"x"}`
	const event = "event: message\ndata: " + message + "\n\n"
	for name, c := range map[string]struct{ in, out string }{
		"LF":                 {"data: " + message + "\n\ndata:" + message + "\n\n", event + event},
		"CR LF":              {"data: " + message + "\r\n\r\n", event},
		"CR":                 {"event: message\rdata: " + message + "\r\rdata: " + message + "\r\r", event + event},
		"byte order mark":    {"\ufeffdata: " + message + "\n\n", event},
		"no colon":           {"data\ndata: " + message + "\ndata\nother\n\n", event},
		"no name":            {"event\ndata: " + message + "\n\n", event},
		"several lines":      {"data: {\"jsonrpc\":\ndata: \"2.0\",\"method\":\"x\"}\n\n", "event: message\ndata: {\"jsonrpc\": \"2.0\",\"method\":\"x\"}\n\n"},
		"comments":           {": hello\n\n:\n\n" + event, event},
		"only an id":         {"id: 1\ndata:\n\n", "id: 1\n\n"},
		"id and retry":       {"id: 1\nretry: 5\ndata: " + message + "\n\n", "id: 1\nretry: 5\n" + event},
		"other event":        {"event: ping\ndata: {}\n\n" + event, event},
		"other event, CR LF": {"event: ping\r\ndata: " + message + "\r\n\r\n", ""},
		"no JSON-RPC":        {"data: {}\n\ndata: hello\n\n" + event, event},
		"endpoint":           {"event: endpoint\ndata: /message?id=1\n\n", "event: endpoint\ndata: /message?id=1\n\n"},
		"cut short":          {event + "data: {\"jsonrpc\":", event},
		"no empty line":      {event + "data: " + message, event + event},
		"no empty line, LF":  {"data: " + message + "\n", event},
		"nothing":            {"", ""},
		"a lone line end":    {"\n", ""},
		"too large an event": {event + "data: " + strings.Repeat("x", maxResponse+1) + "\n\n", event},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, in := range []io.Reader{strings.NewReader(c.in), iotest.OneByteReader(strings.NewReader(c.in))} {
				if got, _ := io.ReadAll(newEventReader(io.NopCloser(in))); string(got) != c.out {
					t.Errorf("got %q, want %q", got, c.out)
				}
				if len(c.in) > 1<<20 {
					break
				}
			}
		})
	}
}

// TestAnswerInAnEventStream also shows that an event is passed on when it is complete, not when the next one begins.
func TestAnswerInAnEventStream(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]string{"LF": "\n", "CR": "\r", "CR LF": "\r\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newScripted(t, "echo")
			server.onMethod("tools/call", func(w http.ResponseWriter, r *http.Request, m message) {
				w.Header().Set("Content-Type", "text/event-stream")
				text := "\ufeff: hello\n\nid: 1\ndata\n\n" +
					`data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}` + "\n\n" +
					`data: {"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"content":[{"type":"text","text":"done"}]}}` + "\n\n"
				fmt.Fprint(w, strings.ReplaceAll(text, "\n", end))
				w.(http.Flusher).Flush()
				hang(w, r, m) // the event is complete all the same
			})
			client := connect(t, server, "s__echo")
			if text := mustCall(t, client, "s__echo", ""); text != "done" {
				t.Errorf("text: %q", text)
			}
		})
	}
}

func TestBadResponseFailsItsCallAlone(t *testing.T) {
	t.Parallel()
	server := newScripted(t, "show", "slow")
	entered := make(chan bool)
	client := connect(t, server, "s__show s__slow")
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request, message){
		"too large": func(w http.ResponseWriter, _ *http.Request, _ message) {
			w.Header().Set("Content-Type", "application/json")
			for range maxResponse>>20 + 1 {
				_, _ = w.Write(make([]byte, 1<<20))
			}
		},
		"cut short": func(w http.ResponseWriter, _ *http.Request, m message) {
			w.Header().Set("Content-Length", "1000")
			reply(w, m, `{"content":[]}`)
		},
		"status": func(w http.ResponseWriter, _ *http.Request, _ message) {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
		},
	} {
		server.on(func(w http.ResponseWriter, r *http.Request, m message) bool {
			switch m.Params.Name {
			case "slow":
				entered <- true
				<-entered
				return false
			case "show":
				answer(w, r, m)
				return true
			}
			return false
		})
		slow := make(chan string)
		go func() {
			result, _ := client.Call(t.Context(), "s__slow", nil)
			slow <- result.Text
		}()
		<-entered
		mustFail(t, client, "s__show", "")
		entered <- true
		if text := <-slow; !strings.HasPrefix(text, "slow on") {
			t.Errorf("%s: the other call says %q", name, text)
		}
	}
	if sessions := len(server.seen("initialize")); sessions != 1 {
		t.Errorf("%d sessions, want 1", sessions)
	}
}
