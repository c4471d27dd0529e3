package mcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// remoteTargets returns the servers of A2A_MCP_SERVERS. One whose URL is that of a server of the manifest, once both are
// resolved, has its name and headers; any other is named after its URL, so that adding a server renames no other.
func (c *Config) remoteTargets(servers []Server, lookup lookup) ([]*target, error) {
	var err error
	if c.Endpoint, err = cleanEndpoint(c.Endpoint); err != nil {
		return nil, fmt.Errorf("A2A_MCP_ENDPOINT: %w", err)
	}
	headers, err := parseHeaders(c.Headers, lookup)
	if err != nil {
		return nil, err
	}
	taken := map[string]bool{}
	for _, server := range servers {
		taken[server.Name] = true
	}
	var targets []*target
	left := slices.DeleteFunc(slices.Clone(servers), func(server Server) bool { return server.Transport == "stdio" })
	for i, text := range strings.Split(c.Servers, ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		next := &target{headers: headers}
		same := func(other *target) bool { return other.url.String() == next.url.String() }
		// Unresolved, the URL of the manifest is recognized even if a variable is not set, and the error names the server.
		at := slices.IndexFunc(left, func(server Server) bool { return server.URL == text })
		if at < 0 {
			if err := c.locate(next, "", text, fmt.Sprintf("A2A_MCP_SERVERS, entry %d", i+1), lookup); err != nil {
				return nil, err
			}
			at = slices.IndexFunc(left, func(server Server) bool {
				resolved := &target{}
				return c.locate(resolved, server.Transport, server.URL, "", lookup) == nil && same(resolved)
			})
		}
		switch {
		case at >= 0:
			if next, err = c.declared(left[at], lookup); err != nil {
				return nil, err
			}
			left = slices.Delete(left, at, at+1)
		case slices.ContainsFunc(targets, same):
			continue // one connection is enough
		default:
			next.name = c.nameOf(next.url, taken)
			taken[next.name] = true
		}
		targets = append(targets, next)
	}
	return targets, nil
}

// declared resolves a server of the manifest.
func (c *Config) declared(server Server, lookup lookup) (*target, error) {
	t := &target{name: server.Name}
	if err := c.locate(t, server.Transport, server.URL, t.field("url"), lookup); err != nil {
		return nil, err
	}
	var err error
	t.headers, err = t.expandAll(lookup, "headers", server.Headers)
	for name, value := range t.headers {
		if fault := checkHeader(name, value); fault != nil {
			err = fmt.Errorf("%s: %w", t.field("headers."+name), fault)
		}
	}
	return t, err
}

// locate resolves a URL and decides on the transport. The place is named in errors.
func (c *Config) locate(t *target, transport, text, place string, lookup lookup) error {
	text, err := t.expand(lookup, text, place)
	if err != nil {
		return err
	}
	address, err := parseURL(text)
	if err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	//adl:if sse
	if transport == "sse" || endsWith(address.EscapedPath(), "/sse") {
		t.sse, t.url = true, address
		return nil
	}
	//adl:end
	//adl:if http
	t.url = joinEndpoint(address, c.Endpoint)
	//adl:end
	//adl:if !http
	if t.url == nil {
		return fmt.Errorf("%s: this agent reaches servers over SSE only, at URLs that end with /sse", place)
	}
	//adl:end
	return nil
}

// parseURL parses and normalizes the URL of a server: host in lower case, no default port, no fragment. The error does not
// contain the text, which may be secret.
func parseURL(text string) (*url.URL, error) {
	address, err := url.Parse(text)
	switch {
	case text == "":
		return nil, errors.New("the URL is empty")
	case err != nil || strings.ContainsFunc(text, unicode.IsSpace):
		return nil, errors.New("not a URL")
	case address.Scheme != "http" && address.Scheme != "https":
		return nil, errors.New("not an http or https URL")
	case address.Hostname() == "":
		return nil, errors.New("the URL has no host")
	case strings.ContainsAny(address.Hostname(), "<>\"\\^`{|}") || strings.Contains(address.Hostname(), ":") && address.Host[0] != '[':
		return nil, errors.New("the host of the URL is not valid")
	}
	if port, err := strconv.ParseUint(portOf(address), 10, 16); err != nil || port == 0 {
		return nil, errors.New("the port of the URL is not valid")
	}
	defaultPort := map[string]string{"http": ":80", "https": ":443"}[address.Scheme]
	address.Host = strings.TrimSuffix(strings.ToLower(address.Host), defaultPort)
	address.Fragment, address.RawFragment = "", ""
	return address, nil
}

// cleanEndpoint returns the endpoint with its leading slash. An empty endpoint is left empty.
func cleanEndpoint(endpoint string) (string, error) {
	illegal := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || r == '?' || r == '#' }
	if strings.ContainsFunc(endpoint, illegal) {
		return "", errors.New("must be a path without spaces, line breaks, `?` and `#`")
	}
	if endpoint != "" && !strings.HasPrefix(endpoint, "/") {
		endpoint = "/" + endpoint
	}
	if _, err := url.PathUnescape(endpoint); err != nil {
		return "", errors.New("not a valid path")
	}
	return endpoint, nil
}

//adl:if http

// joinEndpoint appends the endpoint to the path of the URL, unless it ends with it already.
func joinEndpoint(address *url.URL, endpoint string) *url.URL {
	path := address.EscapedPath()
	if endsWith(path, endpoint) {
		return address
	}
	joined := *address
	joined.RawPath = strings.TrimRight(path, "/") + endpoint
	joined.Path, _ = url.PathUnescape(joined.RawPath) // both parts were checked
	return &joined
}

//adl:end

// endsWith reports whether the path ends with the endpoint, without the slashes at their ends.
func endsWith(path, endpoint string) bool {
	bare := strings.TrimRight(endpoint, "/")
	return strings.HasSuffix(path, endpoint) || bare != "" && strings.HasSuffix(strings.TrimRight(path, "/"), bare)
}

// separator matches what separates the words of a host, port and path.
var separator = regexp.MustCompile(`[.:/]`)

// nameOf names a server after host, port and path, without the endpoint. A hash is added where that is ambiguous.
func (c *Config) nameOf(address *url.URL, taken map[string]bool) string {
	path := strings.TrimRight(address.EscapedPath(), "/")
	path = strings.TrimSuffix(path, strings.TrimRight(c.Endpoint, "/"))
	words := separator.ReplaceAllString(address.Hostname()+":"+portOf(address)+path, "_")
	name := strings.Trim(invalidCharacter.ReplaceAllString(words, "_"), "_")
	exact := name == words && address.RawQuery == ""
	if !validName.MatchString(name) {
		name = "mcp_" + name // an address of digits
	}
	if exact && !taken[name] {
		return name
	}
	return name + "_" + shortHash(address.String())
}

// portOf returns the port of a URL, or the one that its scheme implies.
func portOf(address *url.URL) string {
	switch {
	case address.Port() != "":
		return address.Port()
	case address.Scheme == "https":
		return "443"
	default:
		return "80"
	}
}

// parseHeaders reads `Header=value` pairs, separated by commas. References are resolved afterwards, as their values may
// contain commas. Errors do not contain values.
func parseHeaders(text string, lookup lookup) (map[string]string, error) {
	headers := map[string]string{}
	for i, pair := range strings.Split(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, found := strings.Cut(pair, "=")
		name = http.CanonicalHeaderKey(strings.TrimSpace(name))
		place := "A2A_MCP_HEADERS, header " + name
		if !found || checkHeader(name, "") != nil {
			return nil, fmt.Errorf("A2A_MCP_HEADERS, entry %d: not of the form Header=value", i+1)
		}
		if _, duplicate := headers[name]; duplicate {
			return nil, fmt.Errorf("%s: set twice", place)
		}
		value, err := new(target).expand(lookup, strings.TrimSpace(value), place)
		if err != nil {
			return nil, err
		}
		if err := checkHeader(name, value); err != nil {
			return nil, fmt.Errorf("%s: %w", place, err)
		}
		headers[name] = value
	}
	return headers, nil
}

var headerName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// checkHeader returns why a header cannot be sent.
func checkHeader(name, value string) error {
	if !headerName.MatchString(name) {
		return errors.New("not a valid header name")
	}
	if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		return errors.New("the value contains a line break or another control character")
	}
	return nil
}

// idleTimeout is how long an unused connection is kept. Common servers close theirs after five seconds; a call that is
// sent just then fails, and cannot be repeated safely.
const idleTimeout = 4 * time.Second

// remoteTransport returns the function that makes the transport of a session with a server that has a URL.
func (s *server) remoteTransport() func(*session) sdk.Transport {
	origin := &originTransport{newHTTPTransport(s.client.life, s.client.config.DialTimeout), s.target}
	return func(session *session) sdk.Transport {
		//adl:if sse
		if s.sse {
			client := &http.Client{Transport: origin}
			return &sseTransport{sdk.SSEClientTransport{Endpoint: s.url.String(), HTTPClient: client, MaxEventSize: maxResponse}}
		}
		//adl:end
		client := &http.Client{Transport: &streamTransport{origin, s.client.config.RetryInterval, session.noteChange}}
		return &sdk.StreamableClientTransport{Endpoint: s.url.String(), HTTPClient: client, MaxEventSize: maxResponse}
	}
}

// newHTTPTransport returns a transport whose dials end with life. By itself, net/http continues to dial after a request was
// canceled.
func newHTTPTransport(life context.Context, dialTimeout time.Duration) *http.Transport {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSHandshakeTimeout = dialTimeout
	transport.IdleConnTimeout = idleTimeout
	dialer := &net.Dialer{Timeout: dialTimeout}
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(life, cancel)()
		return dialer.DialContext(ctx, network, address)
	}
	return transport
}

// originTransport adds a server's headers to its requests, and sends nothing to another origin.
type originTransport struct {
	base   http.RoundTripper
	target *target
}

// RoundTrip implements [http.RoundTripper].
func (t *originTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	to := url.URL{Scheme: request.URL.Scheme, Host: request.URL.Host, Path: request.URL.Path}
	if !sameOrigin(t.target.url, request.URL) {
		return nil, fmt.Errorf("the server redirects to another origin, which is refused: %s", &to)
	}
	if redirect := request.Response; redirect != nil && redirect.Request.Method != request.Method {
		return nil, fmt.Errorf("the server redirects, which loses the message: %s to %s; set that URL", redirect.Status, &to)
	}
	request = request.Clone(request.Context())
	for name, value := range t.target.headers {
		if request.Header.Get(name) == "" || strings.EqualFold(name, "Authorization") { // not what the protocol sets
			request.Header.Set(name, value)
		}
	}
	response, err := t.base.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	return repairResponse(request, response)
}

func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && portOf(a) == portOf(b)
}
