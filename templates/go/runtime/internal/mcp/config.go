package mcp

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Config contains the settings of the client. Durations are above zero, integers not negative.
type Config struct {
	// Enabled is checked before a client is made.
	Enabled bool `env:"A2A_MCP_ENABLED"`
	// Servers are the URLs to connect to, separated by commas.
	Servers string `env:"A2A_MCP_SERVERS"`
	// Endpoint is the path that is appended to the URLs.
	Endpoint string `env:"A2A_MCP_ENDPOINT"`
	// Headers are `Header=value` pairs, separated by commas, for the servers that are not in the manifest.
	Headers string `env:"A2A_MCP_HEADERS"`
	// RefreshInterval is the time after which the tools of a connected server are listed again.
	RefreshInterval time.Duration `env:"A2A_MCP_REFRESH_INTERVAL"`
	// DialTimeout bounds one attempt to connect, the listing of the tools included, and each later listing.
	DialTimeout time.Duration `env:"A2A_MCP_DIAL_TIMEOUT"`
	// CallTimeout bounds one tool call, reconnecting included.
	CallTimeout time.Duration `env:"A2A_MCP_CALL_TIMEOUT"`
	// MaxRetries is the number of failed retries in a row after which a server is given up; 0 retries for ever.
	MaxRetries int `env:"A2A_MCP_MAX_RETRIES"`
	// RetryInterval is the pause after the first failed attempt. It doubles up to RetryMaxInterval.
	RetryInterval    time.Duration `env:"A2A_MCP_RETRY_INTERVAL"`
	RetryMaxInterval time.Duration `env:"A2A_MCP_RETRY_MAX_INTERVAL"`
	// FixedRetryMax reports whether the manifest sets RetryMaxInterval, which then does not rise to RetryInterval.
	FixedRetryMax bool
	// DirectTools is the largest number of tools that are offered one by one. Beyond it only the selector tools are.
	DirectTools int `env:"A2A_MCP_DIRECT_TOOLS"`
}

// Server is an MCP server of the manifest. `${NAME}` in its URL, the values of Headers and Env, and Args stands for an
// environment variable.
type Server struct {
	Name      string
	Transport string // "http", "sse" or "stdio"
	URL       string
	Headers   map[string]string
	//adl:if stdio

	Command string
	Args    []string
	Env     map[string]string
	//adl:end
}

// settleRetries raises a maximum below the first pause to it, or refuses the maximum if it was set.
func (c *Config) settleRetries(lookup lookup) error {
	if c.RetryInterval <= c.RetryMaxInterval {
		return nil
	}
	if _, set := lookup("A2A_MCP_RETRY_MAX_INTERVAL"); set || c.FixedRetryMax {
		return fmt.Errorf("A2A_MCP_RETRY_INTERVAL: %s is above A2A_MCP_RETRY_MAX_INTERVAL, which is %s", c.RetryInterval, c.RetryMaxInterval)
	}
	c.RetryMaxInterval = c.RetryInterval
	return nil
}

// target is a server to connect to, with every reference resolved.
type target struct {
	name      string
	url       *url.URL // nil for a command
	headers   map[string]string
	variables []string // the values of all references, which may be secrets
	//adl:if sse

	sse bool // the HTTP transport of 2024
	//adl:end
	//adl:if stdio

	command string
	args    []string
	env     map[string]string
	//adl:end
}

// lookup finds an environment variable, as os.LookupEnv does. An empty value is a value.
type lookup func(name string) (value string, set bool)

// reference matches `${NAME}`; nothing else is special.
var reference = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// expand replaces each reference, once. The error names the variable that is not set and the place that needs it.
func (t *target) expand(lookup lookup, text, place string) (string, error) {
	var missing error
	expanded := reference.ReplaceAllStringFunc(text, func(match string) string {
		name := match[2 : len(match)-1]
		value, set := lookup(name)
		if !set && missing == nil {
			missing = fmt.Errorf("%s: not set, but needed by %s", name, place)
		}
		t.variables = append(t.variables, value)
		return value
	})
	return expanded, missing
}

// expandAll expands the values of a map, which is a field of a server of the manifest.
func (t *target) expandAll(lookup lookup, field string, values map[string]string) (map[string]string, error) {
	expanded := make(map[string]string, len(values))
	for _, key := range slices.Sorted(maps.Keys(values)) {
		value, err := t.expand(lookup, values[key], t.field(field+"."+key))
		if err != nil {
			return nil, err
		}
		expanded[key] = value
	}
	return expanded, nil
}

func (t *target) field(name string) string {
	return fmt.Sprintf("MCP server %q, field %s", t.name, name)
}

// targets computes the servers to connect to: those of A2A_MCP_SERVERS, in that order, then the commands of the manifest.
// The error names the variable, the server and the field, and contains no secret.
func (c *Config) targets(servers []Server, lookup lookup) ([]*target, error) {
	var targets []*target
	//adl:if remote
	remote, err := c.remoteTargets(servers, lookup)
	if err != nil {
		return nil, err
	}
	targets = append(targets, remote...)
	//adl:end
	//adl:if !remote
	if len(targets) == 0 && strings.Trim(c.Servers, ", ") != "" {
		return nil, errors.New("A2A_MCP_SERVERS: this agent reaches servers over stdio only")
	}
	//adl:end
	//adl:if stdio
	for _, server := range servers {
		if server.Transport != "stdio" {
			continue
		}
		target, err := commandTarget(server, lookup)
		if err != nil {
			return nil, err
		}
		targets = append(targets, target)
	}
	//adl:end
	if len(targets) == 0 {
		return nil, errors.New("A2A_MCP_SERVERS: MCP is enabled, but there is no server to connect to")
	}
	return targets, nil
}

// address is the server in logs: without path, query and user, which may contain secrets.
func (t *target) address() string {
	//adl:if stdio
	if t.url == nil {
		return t.command
	}
	//adl:end
	return t.url.Scheme + "://" + t.url.Host
}

// minSecret is the length in bytes from which a value is redacted: hiding every "1" or "true" would make errors unreadable.
const minSecret = 5

// noise matches what the SDK and net/http add to errors: session ids, which are secrets, and what was being done.
var noise = regexp.MustCompile(` ?\(session ID: [^)]*\)|rejected by transport: |(calling|sending|Get|Post|Delete) "[^"]*": `)

// redactor returns the function that removes secrets and noise from a text.
func (t *target) redactor() func(string) string {
	secrets := slices.AppendSeq(slices.Clone(t.variables), maps.Values(t.headers))
	//adl:if stdio
	secrets = slices.AppendSeq(secrets, maps.Values(t.env))
	//adl:end
	var pairs []string
	if t.url != nil {
		pairs = []string{t.url.String(), t.address(), t.url.Redacted(), t.address()}
		password, _ := t.url.User.Password()
		secrets = append(secrets, t.url.User.Username(), password)
		for _, values := range t.url.Query() {
			secrets = append(secrets, values...)
		}
	}
	for _, value := range secrets {
		secrets = append(secrets, url.PathEscape(value), url.QueryEscape(value))
		if words := strings.Fields(value); len(words) > 1 {
			secrets = append(secrets, words[1:]...) // the token of "Bearer token"
		}
	}
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) }) // one may be part of another
	for _, secret := range secrets {
		if len(secret) >= minSecret && !strings.Contains(t.address(), secret) { // what is shown anyway is no secret
			pairs = append(pairs, secret, "[redacted]")
		}
	}
	replacer := strings.NewReplacer(pairs...)
	return func(text string) string { return replacer.Replace(noise.ReplaceAllString(text, "")) }
}
