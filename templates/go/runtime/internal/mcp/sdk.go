package mcp

// This file works around faults of github.com/modelcontextprotocol/go-sdk v1.8.0. Each part can go when its test passes
// without it.

import (
	//adl:if remote
	"bufio"
	"bytes"
	"cmp"
	//adl:end
	//adl:if sse
	"context"
	//adl:end
	"encoding/json"
	"errors"
	"fmt"
	//adl:if remote
	"io"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
	//adl:end

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// isAnswer reports whether the error is the server's own answer, as opposed to a failure to reach it.
//
// The SDK reports its own failures in the shape of an answer, with codes that it does not export.
func isAnswer(err error) bool {
	var answer *jsonrpc.Error
	if !errors.As(err, &answer) {
		return false
	}
	const clientClosing, serverClosing, rejected = -32003, -32004, -32005
	return answer.Code != clientClosing && answer.Code != serverClosing && answer.Code != rejected
}

// unreadable replaces the input schema of a tool that cannot be decoded.
const unreadable = "unreadable"

// repairResult replaces what the SDK cannot decode in the result of a request. It drops the whole result for one content
// block of an unknown type, and the whole list for one invalid tool.
func repairResult(result json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(result, new(sdk.CallToolResult)) == nil && json.Unmarshal(result, new(sdk.ListToolsResult)) == nil ||
		json.Unmarshal(result, &fields) != nil {
		return result
	}
	repairList(fields, "content", func(block json.RawMessage) any {
		if json.Unmarshal(fmt.Appendf(nil, `{"content":[%s]}`, block), new(sdk.CallToolResult)) == nil {
			return block
		}
		var kind struct{ Type string }
		_ = json.Unmarshal(block, &kind) // an invalid type is shown as an empty one
		return &sdk.TextContent{Text: fmt.Sprintf("[content of type %q, not shown]", kind.Type)}
	})
	repairList(fields, "tools", func(tool json.RawMessage) any {
		if json.Unmarshal(tool, new(sdk.Tool)) == nil {
			return tool
		}
		var name struct{ Name any }
		_ = json.Unmarshal(tool, &name)
		return &sdk.Tool{Name: fmt.Sprint(name.Name), InputSchema: unreadable}
	})
	if repaired, err := json.Marshal(fields); err == nil {
		return repaired
	}
	return result
}

// repairList replaces the members of a list.
func repairList(fields map[string]json.RawMessage, key string, repair func(json.RawMessage) any) {
	var members []json.RawMessage
	if json.Unmarshal(fields[key], &members) != nil {
		return
	}
	repaired := make([]any, len(members))
	for i, member := range members {
		repaired[i] = repair(member)
	}
	if encoded, err := json.Marshal(repaired); err == nil {
		fields[key] = encoded
	}
}

//adl:if remote

const (
	// maxResponse bounds one response or event of a server, in bytes.
	maxResponse   = 16 << 20
	sessionHeader = "Mcp-Session-Id"
	eventStream   = "text/event-stream"
)

var errTooLarge = fmt.Errorf("the server's response exceeds %d bytes", maxResponse)

// sessionFault matches the messages of servers about an unknown session, which have one of the codes.
var (
	sessionCodes = []int64{jsonrpc.CodeInvalidRequest, -32000, -32001}
	sessionFault = regexp.MustCompile(`(?i)session[-_ ]?id|(no|valid|invalid|unknown|missing|expired) session|server not initialized|` +
		`^(bad request: )?session (is |was |has )?(not found|unknown|invalid|expired|closed|terminated|required|missing)`)
)

// repairResponse changes a response so that it affects only the request that it answers.
//
//   - A lost session becomes a 404 without a body, the only response that the SDK treats so. The protocol asks for 404, many
//     servers answer 400, and either may have a JSON-RPC error, which the SDK treats as the answer to the request alone.
//   - The body is read here: when reading fails, for example after a timeout, the SDK fails the session with all its
//     calls. The same goes for an error status without a JSON-RPC error.
func repairResponse(request *http.Request, response *http.Response) (*http.Response, error) {
	media, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	class := response.StatusCode / 100
	switch {
	case class == 2 && media == eventStream:
		response.Body = newEventReader(response.Body)
		return response, nil
	case class == 3, request.Method != http.MethodPost:
		return response, nil
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxResponse+1))
	_ = response.Body.Close()
	if err == nil && len(body) > maxResponse {
		err = errTooLarge
	}
	if err != nil {
		return nil, err
	}
	if class == 2 {
		body = repairMessage(body)
	} else {
		var answer struct {
			Error struct {
				Code    int64
				Message string
			}
		}
		_ = json.Unmarshal(body, &answer) // an error page is not JSON
		lost := response.StatusCode == http.StatusNotFound || response.StatusCode == http.StatusBadRequest &&
			slices.Contains(sessionCodes, answer.Error.Code) && sessionFault.MatchString(answer.Error.Message)
		_, invalid := jsonrpc.DecodeMessage(body)
		switch {
		case lost && request.Header.Get(sessionHeader) != "":
			response.StatusCode, body = http.StatusNotFound, nil
		case answer.Error.Code == 0 || invalid != nil:
			return nil, fmt.Errorf("the server answers %s %s", response.Status, answer.Error.Message)
		}
	}
	response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return response, nil
}

// repairMessage returns the message with a repaired result.
func repairMessage(encoded []byte) []byte {
	message, _ := jsonrpc.DecodeMessage(encoded)
	response, isResponse := message.(*jsonrpc.Response)
	if !isResponse {
		return encoded
	}
	response.Result = repairResult(response.Result)
	if repaired, err := jsonrpc.EncodeMessage(response); err == nil {
		return repaired
	}
	return encoded
}

// eventReader rewrites an event stream in the form that the SDK reads, with repaired messages.
//
// The SDK fails the session for a field without a colon, for lines that end with CR, for a byte order mark and for data
// that is not JSON-RPC, such as an event that was cut short. Its SSE client loses what follows the first event in a read.
type eventReader struct {
	io.Closer
	lines *bufio.Scanner
	event bytes.Buffer
}

func newEventReader(body io.ReadCloser) *eventReader {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, maxResponse)
	afterCR := false
	lines.Split(func(data []byte, atEOF bool) (advance int, token []byte, err error) {
		skip := 0
		if afterCR && len(data) > 0 && data[0] == '\n' {
			skip = 1
		}
		end := bytes.IndexAny(data[skip:], "\r\n")
		switch {
		case end >= 0:
			afterCR = data[skip+end] == '\r'
			return skip + end + 1, data[skip : skip+end], nil
		case atEOF && len(data) > skip:
			return len(data), data[skip:], nil
		default:
			return 0, nil, nil // more is needed
		}
	})
	return &eventReader{Closer: body, lines: lines}
}

// Read implements [io.Reader]. It returns at most one event.
func (r *eventReader) Read(p []byte) (int, error) {
	for r.event.Len() == 0 {
		if !r.readEvent() {
			return 0, cmp.Or(r.lines.Err(), io.EOF)
		}
	}
	return r.event.Read(p)
}

// readEvent reads the next event and keeps what the SDK can use of it. It returns false at the end of the stream.
func (r *eventReader) readEvent() bool {
	name, size := "message", 0
	var fields, data []string
	for size <= maxResponse && r.lines.Scan() {
		line := strings.TrimPrefix(r.lines.Text(), "\ufeff")
		if line == "" {
			r.keep(name, fields, data)
			return true
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		size += len(line)
		switch field {
		case "data":
			data = append(data, value)
		case "event":
			name = cmp.Or(value, "message")
		case "id", "retry":
			fields = append(fields, field+": "+value)
		}
	}
	if json.Valid([]byte(strings.Join(data, "\n"))) { // else the event was cut short
		r.keep(name, fields, data)
	}
	return r.event.Len() > 0
}

// keep makes the event the next one to be read.
func (r *eventReader) keep(name string, fields, data []string) {
	text := strings.TrimSpace(strings.Join(data, " ")) // JSON may be on one line
	_, err := jsonrpc.DecodeMessage([]byte(text))
	switch {
	case name == "message" && err == nil:
		text = string(repairMessage([]byte(text)))
	case name != "endpoint": // an event of the SSE transport
		text = ""
	}
	if text != "" {
		fields = append(fields, "event: "+name, "data: "+text)
	}
	if len(fields) > 0 {
		r.event.WriteString(strings.Join(fields, "\n") + "\n\n")
	}
}

// streamTransport keeps the stream open on which a server sends notifications.
//
// The SDK opens that stream while it connects, waits for the response without a limit, and fails the session when the
// stream ends a few times. A server may never respond, refuse, or end the stream at any time, while the session continues.
// So the SDK gets a stream that opens at once and lasts as long as the session; behind it the real one is opened as often
// as needed.
type streamTransport struct {
	base    http.RoundTripper
	pause   time.Duration // before the stream is opened again
	changed func()        // notifications may have been missed, or the server may be gone
}

// RoundTrip implements [http.RoundTripper]. It responds to the request for the stream itself.
func (t *streamTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	// With an event id the request resumes the answer to a call; with a response it follows a redirect.
	if request.Method != http.MethodGet || request.Header.Get("Last-Event-ID") != "" || request.Response != nil {
		return t.base.RoundTrip(request)
	}
	reader, writer := io.Pipe()
	go t.keepOpen(request, writer)
	header := http.Header{"Content-Type": {eventStream}}
	return &http.Response{StatusCode: http.StatusOK, Header: header, Body: reader, ContentLength: -1, Request: request}, nil
}

// keepOpen copies the events of the server's stream to out, and opens the stream again when it ends, until the session
// ends. A server that offers no stream is not asked again.
func (t *streamTransport) keepOpen(request *http.Request, out *io.PipeWriter) {
	ctx := request.Context()
	defer func() { _ = out.Close() }()
	for ctx.Err() == nil {
		response, err := (&http.Client{Transport: t.base}).Do(request.Clone(ctx))
		if err == nil {
			events, isStream := response.Body.(*eventReader)
			if isStream {
				_, _ = io.Copy(out, events) // the stream may end in any way
			}
			_ = response.Body.Close()
			if !isStream && response.StatusCode < 500 && response.StatusCode != http.StatusTooManyRequests {
				break
			}
		}
		t.changed()
		sleep(ctx, t.pause)
	}
	<-ctx.Done()
}

//adl:end
//adl:if sse

// sseTransport outlives the context that it connects with, which ends the transport of the SDK.
type sseTransport struct{ sdk.SSEClientTransport }

// Connect implements [sdk.Transport].
func (t *sseTransport) Connect(ctx context.Context) (sdk.Connection, error) {
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer context.AfterFunc(ctx, cancel)()
	connection, err := t.SSEClientTransport.Connect(life)
	if err != nil {
		cancel()
	}
	return connection, err
}

//adl:end
