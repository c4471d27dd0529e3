package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"adl.example/agent/internal/tool"
)

var silent = slog.New(slog.DiscardHandler)

func noEnv(string) string { return "" }

// fakeModel serves an answer; it returns a client for it and the last request that it got.
func fakeModel(t *testing.T, answer http.HandlerFunc) (client *Client, body *map[string]any) {
	t.Helper()
	body = &map[string]any{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(body); err != nil {
			t.Error(err)
		}
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	config := Config{Model: "model", BaseURL: server.URL + "/v1", Timeout: time.Minute, Temperature: new(float64)}
	client, err := New(config, noEnv, silent)
	if err != nil {
		t.Fatal(err)
	}
	return client, body
}

// stream answers with pieces, each the value of "choices".
func stream(choices ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, choice := range choices {
			_, _ = fmt.Fprintf(w, "data: {\"choices\":%s}\n\n", choice)
		}
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	}
}

func ask(ctx context.Context, client *Client, tools ...tool.Definition) (*Completion, string, error) {
	var text strings.Builder
	question := []openai.ChatCompletionMessageParamUnion{openai.UserMessage("question")}
	completion, err := client.Complete(ctx, question, tools, func(piece string) { text.WriteString(piece) })
	return completion, text.String(), err
}

func TestTextIsStreamed(t *testing.T) {
	t.Parallel()
	client, _ := fakeModel(t, stream(
		`[]`,
		`[{"index":0,"delta":{"role":"assistant","content":null}}]`,
		`[{"index":0,"delta":{"content":"Hel"}}]`,
		`[{"index":0,"delta":{"content":"lo"},"finish_reason":"length"}]`))
	completion, streamed, err := ask(t.Context(), client)
	if err != nil || completion.Text != "Hello" || streamed != "Hello" || !completion.Truncated {
		t.Errorf("got %+v, streamed %q, %v", completion, streamed, err)
	}
}

func TestCallsArePutTogether(t *testing.T) {
	t.Parallel()
	for name, pieces := range map[string][]string{
		"with index": {
			`[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"one","arguments":"{\"x\""}}]}}]`,
			`[{"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"two","arguments":"{}"}}]}}]`,
			`[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}}]`,
		},
		"without index": {
			`[{"delta":{"tool_calls":[{"id":"a","function":{"name":"one","arguments":"{\"x\""}}]}}]`,
			`[{"delta":{"tool_calls":[{"function":{"arguments":":1}"}}]}}]`,
			`[{"delta":{"tool_calls":[{"id":"b","function":{"name":"two","arguments":"{}"}}]}}]`,
		},
		"without index, by id": {
			`[{"delta":{"tool_calls":[{"id":"a","function":{"name":"one","arguments":"{\"x\""}},{"id":"b","function":{"name":"two"}}]}}]`,
			`[{"delta":{"tool_calls":[{"id":"a","function":{"arguments":":1}"}},{"id":"b","function":{"arguments":"{}"}}]}}]`,
		},
		"all with index 0": {
			`[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"one","arguments":"{\"x\":1}"}}]}}]`,
			`[{"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"two","arguments":"{}"}}]}}]`,
		},
	} {
		client, _ := fakeModel(t, stream(pieces...))
		completion, _, err := ask(t.Context(), client)
		if err != nil || fmt.Sprint(completion.Calls) != `[{a one {"x":1}} {b two {}}]` {
			t.Errorf("%s: got %+v, %v", name, completion, err)
		}
	}
}

func TestCallsWithoutIDGetOne(t *testing.T) {
	t.Parallel()
	client, _ := fakeModel(t, stream(
		`[{"delta":{"tool_calls":[{"function":{"name":"one","arguments":"{}"}},{"function":{"name":"one","arguments":"{}"}}]}}]`))
	completion, _, err := ask(t.Context(), client)
	if err != nil || len(completion.Calls) != 2 || completion.Calls[0].ID == "" || completion.Calls[0].ID == completion.Calls[1].ID {
		t.Errorf("got %+v, %v", completion, err)
	}
}

func TestRequestHoldsTheConversation(t *testing.T) {
	t.Parallel()
	client, body := fakeModel(t, stream(`[{"delta":{"content":"ok"}}]`))
	answer := &Completion{Calls: []Call{{"a", "one", "not JSON"}}}
	definition := tool.Definition{Name: "one", Schema: map[string]any{"maximum": json.Number("9007199254740993")}}
	_, err := client.Complete(t.Context(), []openai.ChatCompletionMessageParamUnion{
		openai.SystemMessage("system"), openai.UserMessage("user"), answer.Message(), openai.ToolMessage("result", "a"),
	}, []tool.Definition{definition}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	encoded, _ := json.Marshal(*body)
	for _, want := range []string{
		`{"content":"system","role":"system"}`,
		`{"role":"assistant","tool_calls":[{"function":{"arguments":"{}","name":"one"},"id":"a","type":"function"}]}`,
		`{"content":"result","role":"tool","tool_call_id":"a"}`,
		`"temperature":0`,
		`"name":"one"`,
	} {
		if !strings.Contains(string(encoded), want) {
			t.Errorf("%s is missing in %s", want, encoded)
		}
	}
	if strings.Contains(string(encoded), "max_tokens") {
		t.Error("an unset limit was sent")
	}
}

func TestFailuresAreExplained(t *testing.T) {
	t.Parallel()
	broken := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
	}
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			_, _ = io.WriteString(w, "the secret is sk-123")
		}
	}
	const call = `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"one"}}]}}]}` + "\n\n"
	for want, answer := range map[string]http.HandlerFunc{
		"answer broke off":                  broken("data: {\"choices\":[{\"delta\":{\"content\":\"half an\"}}]}\n\n"),
		"server's answer broke off":         broken(call),
		"reached its token limit":           broken(call + "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"length\"}]}\n\n"),
		"is longer than 4 MiB":              stream(`[{"delta":{"content":"` + strings.Repeat("x", maxAnswer+1) + `"}}]`),
		`code "bad_tool", param "tools"`:    refusal("bad_tool", "tools", "sk-123"),
		"too long for the model (HTTP 400)": refusal("context_length_exceeded", "messages", "sk-123"),
		"failed (HTTP 500)":                 status(http.StatusInternalServerError),
		"credentials (HTTP 401)":            status(http.StatusUnauthorized),
		"no more requests for now":          status(http.StatusTooManyRequests),
		"is invalid":                        broken("data: {broken\n\n"),
		"answer is invalid":                 broken("{broken"),
		"within its answer":                 broken("data: {\"error\":{\"message\":\"sk-123\"}}\n\n"),
		"content filter":                    stream(`[{"delta":{},"finish_reason":"content_filter"}]`),
	} {
		client, _ := fakeModel(t, answer)
		completion, _, err := ask(t.Context(), client)
		if err == nil || !strings.Contains(err.Error(), want) || completion != nil {
			t.Errorf("got %+v, %v, want %q", completion, err, want)
		} else if strings.Contains(err.Error(), "sk-123") || strings.Contains(err.Error(), "127.0.0.1") {
			t.Errorf("%v holds what the server wrote or its address", err)
		}
	}
}

func refusal(code, param, message string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		encoded, _ := json.Marshal(map[string]any{"code": code, "param": param, "type": "invalid", "message": message})
		_, _ = fmt.Fprintf(w, `{"error":%s}`, encoded)
	}
}

func TestRefusedToolIsNamed(t *testing.T) {
	t.Parallel()
	tools := []tool.Definition{{Name: "good"}, {Name: "papers__bad"}}
	for _, test := range []struct{ param, message, name string }{
		{"tools[1].function.parameters", "sk-123", "papers__bad"},
		{"tools.0", "sk-123", "good"},
		{"", "Invalid schema for function 'papers__bad': None is not of type 'array'", "papers__bad"},
		{"", "tools.1.custom.input_schema: field required", "papers__bad"},
		{"tools[7]", "'other' is not good", ""},
		{"messages[1]", "sk-123", ""},
	} {
		client, _ := fakeModel(t, refusal("invalid", test.param, test.message))
		_, _, err := ask(t.Context(), client, tools...)
		var reported *Error
		if !errors.As(err, &reported) || strings.Contains(err.Error(), "sk-123") {
			t.Fatalf("%+v: got %v", test, err)
		}
		want := `because of the tool "` + test.name + `"`
		if strings.Contains(reported.Public(), want) != (test.name != "") {
			t.Errorf("%+v: got %v", test, err)
		}
	}
}

func TestSilenceEndsARequest(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"before the answer": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"within the answer": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, ": no event yet\n\n")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		},
	} {
		var tries atomic.Int32
		client, _ := fakeModel(t, func(w http.ResponseWriter, r *http.Request) {
			tries.Add(1)
			answer(w, r)
		})
		client.config.Timeout = 20 * time.Millisecond
		client.service.Options = append(client.service.Options, option.WithMaxRetries(3))
		if _, _, err := ask(t.Context(), client); err == nil || err.Error() != "the model did not answer within 20ms" {
			t.Errorf("%s: got %v", name, err)
		} else if tries.Load() > 1 {
			t.Errorf("%s: asked %d times", name, tries.Load())
		}
	}
}

func TestCancelledRequestEnds(t *testing.T) {
	t.Parallel()
	client, _ := fakeModel(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, _, err := ask(ctx, client); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestProviderFillsInAddressAndKey(t *testing.T) {
	t.Parallel()
	getenv := func(name string) string { return "value of " + name }
	client, err := New(Config{Provider: "openai", Model: "model"}, getenv, silent)
	if err != nil || client.config.BaseURL != "https://api.openai.com/v1" || client.config.APIKey != "value of OPENAI_API_KEY" {
		t.Errorf("got %+v, %v", client, err)
	}
	own := Config{Provider: "openai", Model: "model", BaseURL: "http://localhost/v1", APIKey: "key"}
	if client, err = New(own, getenv, silent); err != nil || client.config != own {
		t.Errorf("got %+v, %v", client, err)
	}
}

func TestInvalidConfigIsRefused(t *testing.T) {
	t.Parallel()
	number := func(value float64) *float64 { return &value }
	for _, test := range []struct {
		variable string
		change   func(*Config)
	}{
		{"A2A_AGENT_CLIENT_MODEL", func(c *Config) { c.Model = "" }},
		{"A2A_AGENT_CLIENT_BASE_URL", func(c *Config) { c.Provider = "cloudflare" }},
		{"A2A_AGENT_CLIENT_BASE_URL", func(c *Config) { c.BaseURL = "localhost:8080" }},
		{"A2A_AGENT_CLIENT_MAX_TOKENS", func(c *Config) { c.MaxTokens = new(int) }},
		{"A2A_AGENT_CLIENT_TEMPERATURE", func(c *Config) { c.Temperature = number(2.5) }},
		{"A2A_AGENT_CLIENT_TEMPERATURE", func(c *Config) { c.Temperature = number(nan()) }},
	} {
		config := Config{Provider: "openai", Model: "model"}
		test.change(&config)
		if _, err := New(config, noEnv, silent); err == nil || !strings.HasPrefix(err.Error(), test.variable+": ") {
			t.Errorf("got %v, want an error that names %s", err, test.variable)
		}
	}
}

func nan() float64 {
	var zero float64
	return zero / zero
}

func TestMissingKeyIsNoticedWhereItIsNeeded(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ provider, baseURL, variable string }{
		{"openai", "", "OPENAI_API_KEY"},
		{"ollama", "", ""},
		{"openai", "https://proxy.example.com/v1", ""},
	} {
		var log bytes.Buffer
		config := Config{Provider: test.provider, Model: "model", BaseURL: test.baseURL}
		_, err := New(config, noEnv, slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil || (log.Len() > 0) != (test.variable != "") || !strings.Contains(log.String(), test.variable) {
			t.Errorf("%+v: logged %q, %v", test, log.String(), err)
		}
	}
}
