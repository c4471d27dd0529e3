// Package llm asks a language model through an OpenAI-compatible API.
package llm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/shared"

	"adl.example/agent/internal/tool"
)

// Config contains the settings of the model.
type Config struct {
	Provider    string        `env:"A2A_AGENT_CLIENT_PROVIDER"`
	Model       string        `env:"A2A_AGENT_CLIENT_MODEL"`
	BaseURL     string        `env:"A2A_AGENT_CLIENT_BASE_URL"`
	APIKey      string        `env:"A2A_AGENT_CLIENT_API_KEY"`
	MaxTokens   *int          `env:"A2A_AGENT_CLIENT_MAX_TOKENS"`
	Temperature *float64      `env:"A2A_AGENT_CLIENT_TEMPERATURE"`
	Timeout     time.Duration `env:"A2A_AGENT_CLIENT_TIMEOUT"`
	MaxRetries  int           `env:"A2A_AGENT_CLIENT_MAX_RETRIES"`
}

// providers maps each known provider to the address of its API, if it is the same for everyone, and to the variable that
// usually contains its key.
var providers = map[string]struct{ baseURL, keyVariable string }{
	"anthropic":    {"https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"},
	"cloudflare":   {"", "CLOUDFLARE_API_KEY"},
	"cohere":       {"https://api.cohere.ai/compatibility/v1", "COHERE_API_KEY"},
	"deepseek":     {"https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"},
	"google":       {"https://generativelanguage.googleapis.com/v1beta/openai", "GOOGLE_API_KEY"},
	"groq":         {"https://api.groq.com/openai/v1", "GROQ_API_KEY"},
	"minimax":      {"https://api.minimax.io/v1", "MINIMAX_API_KEY"},
	"mistral":      {"https://api.mistral.ai/v1", "MISTRAL_API_KEY"},
	"moonshot":     {"https://api.moonshot.ai/v1", "MOONSHOT_API_KEY"},
	"nvidia":       {"https://integrate.api.nvidia.com/v1", "NVIDIA_API_KEY"},
	"ollama":       {"http://localhost:11434/v1", "OLLAMA_API_KEY"},
	"ollama_cloud": {"https://ollama.com/v1", "OLLAMA_CLOUD_API_KEY"},
	"openai":       {"https://api.openai.com/v1", "OPENAI_API_KEY"},
}

// Client asks one model.
type Client struct {
	config  Config
	service openai.ChatCompletionService
}

// New returns a client. getenv finds the key in the provider's own variable. Errors name the variable to set.
func New(config Config, getenv func(string) string, logger *slog.Logger) (*Client, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	provider := providers[config.Provider]
	config.BaseURL = cmp.Or(config.BaseURL, provider.baseURL)
	if config.BaseURL == "" {
		return nil, errors.New("A2A_AGENT_CLIENT_BASE_URL: not set, and the provider has no fixed address")
	}
	if config.APIKey == "" && provider.keyVariable != "" {
		config.APIKey = getenv(provider.keyVariable)
	}
	if config.APIKey == "" && config.BaseURL == provider.baseURL && !strings.HasPrefix(config.BaseURL, "http://localhost") {
		logger.Warn("no API key for the model is set", "variable", provider.keyVariable)
	}
	// openai.NewClient reads OPENAI_* and would send that key to any base URL; the service alone does not.
	options := []option.RequestOption{option.WithBaseURL(config.BaseURL), option.WithMaxRetries(config.MaxRetries)}
	if config.APIKey != "" {
		options = append(options, option.WithAPIKey(config.APIKey))
	}
	return &Client{config: config, service: openai.NewChatCompletionService(options...)}, nil
}

func (c Config) validate() error {
	if c.Model == "" {
		return errors.New("A2A_AGENT_CLIENT_MODEL: not set")
	}
	if c.BaseURL != "" { // may contain a credential, so the error does not quote it
		address, err := url.Parse(c.BaseURL)
		if err != nil || address.Host == "" || (address.Scheme != "http" && address.Scheme != "https") {
			return errors.New("A2A_AGENT_CLIENT_BASE_URL: must be an http or https URL")
		}
	}
	if c.MaxTokens != nil && *c.MaxTokens < 1 {
		return errors.New("A2A_AGENT_CLIENT_MAX_TOKENS: must be at least 1")
	}
	if c.Temperature != nil && !(*c.Temperature >= 0 && *c.Temperature <= 2) { // refuses NaN as well
		return errors.New("A2A_AGENT_CLIENT_TEMPERATURE: must be between 0 and 2")
	}
	return nil
}

// Complete asks the model for its next message. Text is passed to write as it arrives, on the same goroutine. The error
// is an *Error, or the cause of the end of ctx.
func (c *Client) Complete(
	ctx context.Context, messages []openai.ChatCompletionMessageParamUnion, tools []tool.Definition, write func(string),
) (*Completion, error) {
	// The library does not retry after the end of the context: a server that stayed silent has used up its time.
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	client := &http.Client{Transport: silenceTimeout{c.config.Timeout, func() { cancel(errSilence) }}}
	var response *http.Response
	_, err := c.service.New(ctx, c.params(messages, tools), option.WithHTTPClient(client),
		option.WithJSONSet("stream", true), option.WithResponseBodyInto(&response))
	if err != nil {
		return nil, c.explain(ctx, err, response, tools)
	}
	decoder := &doneDecoder{Decoder: ssestream.NewDecoder(response)}
	stream := ssestream.NewStream[openai.ChatCompletionChunk](decoder, nil)
	defer func() { _ = stream.Close() }()
	var answer accumulator
	for stream.Next() {
		text, err := answer.add(stream.Current())
		if err != nil {
			return nil, err
		}
		if text != "" {
			write(text)
		}
	}
	if err := stream.Err(); err != nil {
		return nil, c.explain(ctx, err, response, tools)
	}
	return answer.completion(decoder.done)
}

func (c *Client) params(messages []openai.ChatCompletionMessageParamUnion, tools []tool.Definition) openai.ChatCompletionNewParams {
	params := openai.ChatCompletionNewParams{Model: c.config.Model, Messages: messages}
	for _, definition := range tools {
		function := shared.FunctionDefinitionParam{Name: definition.Name, Parameters: definition.Schema}
		if definition.Description != "" {
			function.Description = openai.String(definition.Description)
		}
		params.Tools = append(params.Tools, openai.ChatCompletionFunctionTool(function))
	}
	if limit := c.config.MaxTokens; limit != nil {
		// OpenAI's models want the newer field; other servers know the older one.
		if c.config.BaseURL == providers["openai"].baseURL {
			params.MaxCompletionTokens = openai.Int(int64(*limit))
		} else {
			params.MaxTokens = openai.Int(int64(*limit))
		}
	}
	if c.config.Temperature != nil {
		params.Temperature = openai.Float(*c.config.Temperature)
	}
	return params
}

// Error is the reason why the model gave no answer: Message for the user, Detail for the log. Neither contains an address, a key or
// text of the server.
type Error struct{ Message, Detail string }

func (e *Error) Error() string {
	if e.Detail == "" {
		return e.Message
	}
	return e.Message + ": " + e.Detail
}

// Public returns the text that the user of the agent may read.
func (e *Error) Public() string { return e.Message }

// explain turns a failed request into an Error. The response may be nil.
func (c *Client) explain(ctx context.Context, err error, response *http.Response, tools []tool.Definition) error {
	var reported *ssestream.StreamError
	var request *url.Error
	switch {
	case errors.Is(context.Cause(ctx), errSilence):
		return &Error{Message: fmt.Sprintf("the model did not answer within %v", c.config.Timeout)}
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case response != nil && response.StatusCode >= http.StatusBadRequest:
		return refused(response.StatusCode, err, tools)
	case errors.As(err, &reported):
		return &Error{Message: "the model server reported an error within its answer"}
	case errors.As(err, &request): // its own text contains the URL, which may contain a key
		return &Error{Message: "the model server cannot be reached", Detail: request.Err.Error()}
	default:
		return &Error{Message: "the model server's answer broke off or is invalid"}
	}
}

// refused explains an error status. The server's message may repeat the request, so only the fixed fields beside it are
// logged, and the tool that it is about.
func refused(status int, err error, tools []tool.Definition) *Error {
	message := "the model server refused the request"
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		message = "the model server refused the agent's credentials"
	case status == http.StatusNotFound:
		message = "the model or the URL of the model server was not found"
	case status == http.StatusTooManyRequests:
		message = "the model server accepts no more requests for now"
	case status >= http.StatusInternalServerError:
		message = "the model server failed"
	}
	var detail string
	var reason *openai.Error
	if errors.As(err, &reason) {
		detail = fmt.Sprintf("type %q, code %q, param %q", reason.Type, reason.Code, reason.Param)
		if name := refusedTool(reason.Param+" "+reason.Message, tools); name != "" {
			message += fmt.Sprintf(" because of the tool %q", name)
		} else if reason.Code == "context_length_exceeded" {
			message = "the conversation is too long for the model"
		}
	}
	return &Error{Message: fmt.Sprintf("%s (HTTP %d)", message, status), Detail: detail}
}

// toolIndex matches how servers refer to a tool by its index: tools[3].function.parameters or tools.3.custom.
var toolIndex = regexp.MustCompile(`\btools[\[.](\d+)`)

// refusedTool returns the name of the tool because of which a request was refused: the reason has its index or its name.
func refusedTool(reason string, tools []tool.Definition) string {
	if match := toolIndex.FindStringSubmatch(reason); match != nil {
		if index, err := strconv.Atoi(match[1]); err == nil && index < len(tools) {
			return tools[index].Name
		}
	}
	for _, definition := range tools {
		if strings.Contains(reason, "'"+definition.Name+"'") {
			return definition.Name
		}
	}
	return ""
}
