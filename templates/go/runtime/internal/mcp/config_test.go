package mcp

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, c := range contract[struct{ URL, Endpoint, Address, Fault string }](t, "endpoint") {
		endpoint, err := cleanEndpoint(c.Endpoint)
		if (err != nil) != (c.Fault != "") {
			t.Errorf("%q: %v, want fault %q", c.Endpoint, err, c.Fault)
		}
		if c.Fault != "" {
			continue
		}
		address, err := parseURL(c.URL)
		if err != nil || joinEndpoint(address, endpoint).String() != c.Address {
			t.Errorf("%s and %q: %v, %v, want %s", c.URL, c.Endpoint, address, err, c.Address)
		}
	}
	for _, c := range contract[struct {
		URL, Address, Fault string
		ManifestOnly        bool
	}](t, "url") {
		if c.ManifestOnly {
			continue
		}
		address, err := parseURL(c.URL)
		if (err != nil) != (c.Fault != "") || err == nil && address.String() != c.Address {
			t.Errorf("%q: %v, %v, want %q or fault %q", c.URL, address, err, c.Address, c.Fault)
		}
	}
	for _, c := range contract[struct{ URL, Name string }](t, "server-names") {
		config := Config{Servers: c.URL, Endpoint: "/mcp"}
		targets, err := config.targets(nil, nil)
		if err != nil || targets[0].name != c.Name {
			t.Errorf("%s: %+v, %v, want %s", c.URL, targets, err, c.Name)
		}
	}
}

func TestReferences(t *testing.T) {
	t.Parallel()
	for _, c := range contract[struct {
		Text, Expanded, Missing string
		Names                   []string
		Variables               map[string]string
	}](t, "references") {
		var asked []string
		lookup := func(name string) (string, bool) {
			asked = append(asked, name)
			value, set := c.Variables[name]
			return value, set
		}
		expanded, err := new(target).expand(lookup, c.Text, "here")
		switch {
		case !slices.Equal(asked, c.Names) && len(c.Names) > 0:
			t.Errorf("%s: asked for %v, want %v", c.Text, asked, c.Names)
		case c.Missing != "" && (err == nil || err.Error() != c.Missing+": not set, but needed by here"):
			t.Errorf("%s: %v", c.Text, err)
		case c.Missing == "" && (err != nil || expanded != c.Expanded):
			t.Errorf("%s: %q, %v, want %q", c.Text, expanded, err, c.Expanded)
		}
	}
}

func TestListsOfHeadersAndServers(t *testing.T) {
	t.Parallel()
	for _, c := range contract[struct {
		Kind, Text string
		Value      any
		Refused    bool
	}](t, "environment") {
		var got any
		var err error
		switch c.Kind {
		case "pairs":
			var headers map[string]string
			headers, err = parseHeaders(c.Text, nil)
			got = headers
		case "list":
			config := Config{Servers: c.Text}
			var targets []*target
			targets, err = config.targets(nil, nil)
			urls := []string{}
			for _, target := range targets {
				urls = append(urls, target.url.String())
			}
			got = urls
		default:
			continue
		}
		if (err != nil) != c.Refused || err == nil && fmt.Sprint(got) != fmt.Sprint(c.Value) {
			t.Errorf("%s %q: %v, %v, want %v", c.Kind, c.Text, got, err, c.Value)
		}
	}
}

// describe shows targets in a line each.
func describe(targets []*target) string {
	var lines []string
	for _, target := range targets {
		line := target.name
		if target.url != nil {
			line += " " + target.url.String()
		}
		if target.sse {
			line += " over SSE"
		}
		for _, name := range slices.Sorted(maps.Keys(target.headers)) {
			line += fmt.Sprintf(" %s=%s", name, target.headers[name])
		}
		if target.command != "" {
			line += fmt.Sprint(" ", target.command, target.args, target.env)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestServersOfTheManifestAreRecognised(t *testing.T) {
	t.Parallel()
	setup := newSetup()
	setup.Config.Servers = " http://music.test , http://other.test:8080/a/b, ,http://w.test,http://other.test:8080/a/b/,http://x.test/sse"
	setup.Endpoint, setup.Headers = "/mcp", "Authorization=Bearer ${TOKEN}, x-team = red "
	setup.variables = map[string]string{"KEY": "$${KEY},", "HOST": "music.test", "TOKEN": "a=b,c", "ROOT": "/data", "EMPTY": ""}
	targets, err := setup.targets([]Server{
		{Name: "weather", URL: "http://w.test/mcp", Headers: map[string]string{"X-Key": "a-${KEY}", "X-Empty": "${EMPTY}"}},
		{Name: "music", URL: "http://${HOST}:80"},
		{Name: "unused", URL: "http://${UNSET}"},
		{Name: "files", Transport: "stdio", Command: "files", Args: []string{"--root", "${ROOT}"}, Env: map[string]string{"KEY": "${ROOT}"}},
	}, setup.Lookup)
	if err != nil {
		t.Fatal(err)
	}
	want := `music http://music.test/mcp
other_test_8080_a_b http://other.test:8080/a/b/mcp Authorization=Bearer a=b,c X-Team=red
weather http://w.test/mcp X-Empty= X-Key=a-$${KEY},
x_test_80_sse http://x.test/sse over SSE Authorization=Bearer a=b,c X-Team=red
files files[--root /data] map[KEY:/data]`
	if got := describe(targets); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestOneAddressMayBelongToTwoServersOfTheManifest(t *testing.T) {
	t.Parallel()
	config := Config{Servers: "http://h.test,http://h.test,http://h.test"}
	targets, err := config.targets([]Server{{Name: "a", URL: "http://h.test"}, {Name: "b", URL: "http://h.test"}}, nil)
	if err != nil || describe(targets) != "a http://h.test\nb http://h.test" {
		t.Errorf("%s, %v", describe(targets), err)
	}
}

func TestAddingAServerRenamesNoOther(t *testing.T) {
	t.Parallel()
	config := Config{Servers: "http://h:1/a/b,http://h:2,http://h:1/a_b,http://h:3,http://h:2/mcp", Endpoint: "/mcp"}
	targets, err := config.targets(nil, nil)
	if err != nil || len(targets) != 4 || targets[0].name != "h_1_a_b" || targets[1].name != "h_2" || targets[2].name == "h_1_a_b" {
		t.Errorf("%s, %v", describe(targets), err)
	}
}

func TestFaultIsNamedWithoutSecrets(t *testing.T) {
	t.Parallel()
	weather := []Server{{Name: "weather", URL: "http://${HOST}", Headers: map[string]string{"Authorization": "Bearer ${TOKEN}"}}}
	host := map[string]string{"HOST": "h.test"}
	for name, c := range map[string]struct {
		config    Config
		servers   []Server
		variables map[string]string
		want      []string
	}{
		"no server":            {Config{}, nil, nil, []string{"A2A_MCP_SERVERS"}},
		"emptied":              {Config{Servers: " , "}, weather, nil, []string{"A2A_MCP_SERVERS"}},
		"no url":               {Config{Servers: "http://h,secret"}, nil, nil, []string{"A2A_MCP_SERVERS, entry 2", "URL"}},
		"variable of a url":    {Config{Servers: weather[0].URL}, weather, nil, []string{"HOST: not set", `"weather"`, "field url"}},
		"variable of a header": {Config{Servers: weather[0].URL}, weather, host, []string{"TOKEN: not set", `"weather"`, "field headers.Authorization"}},
		"variable of an entry": {Config{Servers: "http://${X}"}, nil, nil, []string{"X: not set", "A2A_MCP_SERVERS, entry 1"}},
		"endpoint":             {Config{Servers: "http://h", Endpoint: "/a b"}, nil, nil, []string{"A2A_MCP_ENDPOINT"}},
		"header without value": {Config{Servers: "http://h", Headers: "A=1,secret"}, nil, nil, []string{"A2A_MCP_HEADERS", "entry 2"}},
		"header twice":         {Config{Servers: "http://h", Headers: "A=secret,a=secret"}, nil, nil, []string{"A2A_MCP_HEADERS", "twice"}},
		"variable of headers":  {Config{Servers: "http://h", Headers: "A=${X}"}, nil, nil, []string{"X: not set", "A2A_MCP_HEADERS, header A"}},
		"header of a server":   {Config{Servers: "http://h"}, []Server{{Name: "w", URL: "http://h", Headers: map[string]string{"a b": "secret"}}}, nil, []string{`"w"`, "field headers.a b", "not a valid header name"}},
		"line break":           {Config{Servers: "http://h", Headers: "A=${X}"}, nil, map[string]string{"X": "secret\n"}, []string{"A2A_MCP_HEADERS", "line break"}},
		"empty url":            {Config{Servers: "${X}"}, []Server{{Name: "w", URL: "${X}"}}, map[string]string{"X": ""}, []string{`"w"`, "field url", "empty"}},
		"command": {Config{}, []Server{{Name: "files", Transport: "stdio", Command: "x", Env: map[string]string{"K": "${X}"}}}, nil,
			[]string{"X: not set", `"files"`, "field env.K"}},
	} {
		_, err := c.config.targets(c.servers, func(name string) (string, bool) {
			value, set := c.variables[name]
			return value, set
		})
		if err == nil {
			t.Errorf("%s: accepted", name)
			continue
		}
		mustContain(t, err.Error(), c.want...)
		mustNotContain(t, err.Error(), "secret")
	}
}

func TestLongestPauseRisesUnlessItWasSet(t *testing.T) {
	t.Parallel()
	setup := newSetup(Server{Name: "s", URL: "http://h"})
	setup.RetryInterval = time.Minute
	if err := setup.settleRetries(setup.Lookup); err != nil || setup.RetryMaxInterval != time.Minute {
		t.Errorf("a default maximum does not rise: %s, %v", setup.RetryMaxInterval, err)
	}
	setup.RetryMaxInterval = time.Second
	setup.variables = map[string]string{"A2A_MCP_RETRY_MAX_INTERVAL": "1s"}
	if _, err := New(setup.Config, setup.Options); err == nil || !strings.Contains(err.Error(), "A2A_MCP_RETRY_MAX_INTERVAL") {
		t.Errorf("a maximum that was set rises: %v", err)
	}
}

func TestSecretsAreNeitherLoggedNorTold(t *testing.T) {
	t.Parallel()
	secrets := []string{"p%C3%A4ssword", "pässword", "querysecret", "query+secret2", "headersecret", "session-1", "a/secret", "a%2Fsecret"}
	server := newScripted(t, "echo")
	repeats := func(w http.ResponseWriter, r *http.Request, m message) bool { // an answer that repeats what it was sent
		if m.Method == "tools/call" || m.Method == "tools/list" {
			w.WriteHeader(http.StatusTeapot)
			refuse(w, m, -1, "not for "+r.Header.Get("X-Key")+" at "+r.URL.String())
		}
		return m.Method == "tools/call" || m.Method == "tools/list"
	}
	server.on(repeats)
	host := strings.Replace(server.URL, "http://", "http://user1:p%C3%A4ssword@", 1)
	address := host + "/${PATH}?key=querysecret&k=query+secret2"
	setup := newSetup(
		Server{Name: "reachable", URL: address, Headers: map[string]string{"X-Key": "Bearer headersecret"}},
		Server{Name: "gone", URL: strings.Replace(address, server.address(), "127.0.0.1:1", 1)},
		Server{Name: "files", Transport: "stdio", Command: "/no/such/command", Args: []string{"${PATH}"}},
	)
	setup.Config.Servers = strings.TrimSuffix(setup.Config.Servers, ",")
	setup.variables = map[string]string{"PATH": "a/secret"}
	client := setup.start(t)
	eventually(t, "all fail", func() bool {
		log := setup.log.String()
		return strings.Contains(log, "not for") && strings.Contains(log, "connection refused") && strings.Contains(log, "no such file")
	})
	mustContain(t, setup.log.String(), "address=http://"+server.address()+" ", "server=reachable")
	server.on(nil)
	eventuallyOffered(t, client, "reachable__echo")
	server.on(repeats)
	mustNotContain(t, mustFail(t, client, "reachable__echo", ""), secrets...)
	server.setDown(true)
	mustNotContain(t, mustFail(t, client, "reachable__echo", ""), secrets...)
	mustNotContain(t, setup.log.String(), secrets...)

	redact := (&target{url: &url.URL{Scheme: "http", Host: "h"}, variables: []string{"secret/value", "on", "http://h"}}).redactor()
	if text := redact("no entry secret/value on http://h/secret%2Fvalue"); text != "no entry [redacted] on http://h/[redacted]" {
		t.Errorf("redacted: %s", text)
	}
}
