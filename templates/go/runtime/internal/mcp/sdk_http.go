package mcp

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

const (
	// maxResponse bounds one response or event of a server, in bytes.
	maxResponse   = 16 << 20
	sessionHeader = "Mcp-Session-Id"
	eventStream   = "text/event-stream"
)

var errTooLarge = fmt.Errorf("the server's response exceeds %d bytes", maxResponse)

// sessionFault matches what servers say about a session that they do not know, with one of the codes.
var sessionCodes = []int64{jsonrpc.CodeInvalidRequest, -32000, -32001}
var sessionFault = regexp.MustCompile(`(?i)session[-_ ]?id|(no|valid|invalid|unknown|missing|expired) session|server not initialized|` +
	`^(bad request: )?session (is |was |has )?(not found|unknown|invalid|expired|closed|terminated|required|missing)`)

// repairResponse makes the response one that harms nothing but the request that it answers.
//
//   - A lost session becomes a 404 without a body, which is all that the SDK takes for one. The protocol asks for 404, many
//     servers answer 400, and either may hold a JSON-RPC error, which the SDK takes for the answer to the request alone.
//   - JSON is read here: when reading fails, as after a time-out, the SDK fails the session with all its calls. The same goes
//     for a status that is an error without a JSON-RPC error, and for what is no JSON-RPC message.
//   - Event streams are rewritten by an [eventReader].
func repairResponse(request *http.Request, response *http.Response) (*http.Response, error) {
	media, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")) // an invalid one is none that we know
	class := response.StatusCode / 100
	switch {
	case class == 2 && media == eventStream:
		response.Body = &eventReader{body: response.Body, in: bufio.NewReader(response.Body)}
		return response, nil
	case class == 2 && !isCall(request), class == 3 && response.Header.Get("Location") != "", request.Method == http.MethodDelete:
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
	var answer struct {
		Error struct {
			Code    int64
			Message string
		}
	}
	message, _ := jsonrpc.DecodeMessage(body) // what is none is told below
	_, readable := message.(*jsonrpc.Response)
	if class == 2 {
		readable = readable && media == "application/json"
		body = repairMessage(body)
	} else {
		readable = json.Unmarshal(body, &answer) == nil && answer.Error.Code != 0 && readable
	}
	lost := response.StatusCode == http.StatusNotFound || response.StatusCode == http.StatusBadRequest &&
		slices.Contains(sessionCodes, answer.Error.Code) && sessionFault.MatchString(answer.Error.Message)
	switch {
	case lost && request.Header.Get(sessionHeader) != "":
		response.StatusCode, body = http.StatusNotFound, nil
		response.Header.Del("Content-Type")
	case !readable && request.Method == http.MethodPost:
		return nil, fmt.Errorf("the server answers %s: %s", response.Status, cmp.Or(answer.Error.Message, "no JSON-RPC message"))
	}
	response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return response, nil
}

// isCall tells whether the request holds a JSON-RPC request that its response answers. The SSE transport, which accepts
// nothing, gets its answers elsewhere.
func isCall(request *http.Request) bool {
	if request.GetBody == nil || !strings.Contains(request.Header.Get("Accept"), eventStream) {
		return false
	}
	body, err := request.GetBody()
	if err != nil {
		return false
	}
	text, _ := io.ReadAll(body) // of a buffer
	message, _ := jsonrpc.DecodeMessage(text)
	call, isRequest := message.(*jsonrpc.Request)
	return isRequest && call.IsCall()
}

// eventReader rewrites an event stream as whole events of the one form that the SDK reads, with repaired messages.
//
// The SDK fails the session for a field without a colon, for lines that end with CR, for a byte order mark and for data
// that is not JSON-RPC; an event that was cut short is one to it; and its SSE client loses what follows the first event
// in the same packet. A message at the end of the stream may lack its empty line.
type eventReader struct {
	body    io.Closer
	in      *bufio.Reader
	out     bytes.Buffer
	err     error
	begun   bool // the byte order mark is behind us
	afterCR bool // an LF that follows belongs to the line before
}

// Close implements [io.Closer].
func (r *eventReader) Close() error { return r.body.Close() }

// Read implements [io.Reader]. It returns at most one event.
func (r *eventReader) Read(p []byte) (int, error) {
	if !r.begun {
		r.begun = true
		if start, _ := r.in.Peek(3); string(start) == "\ufeff" {
			_, _ = r.in.Discard(len(start))
		}
	}
	for r.out.Len() == 0 && r.err == nil {
		r.err = r.readEvent()
	}
	if r.out.Len() > 0 {
		return r.out.Read(p)
	}
	return 0, r.err
}

// readEvent reads the next event and puts it out, unless it is one that the SDK has no use for.
func (r *eventReader) readEvent() error {
	var fields, data []byte
	name := "message"
	for {
		line, err := r.readLine(maxResponse - len(fields) - len(data))
		key, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(key) {
		case "data":
			data = append(append(data, value...), '\n')
		case "event":
			name = cmp.Or(string(value), "message")
		case "id", "retry":
			fields = fmt.Appendf(fields, "%s: %s\n", key, value)
		}
		if err != nil && !json.Valid(data) {
			return err
		}
		if err == nil && len(line) > 0 {
			continue
		}
		data = bytes.TrimSpace(data)
		_, invalid := jsonrpc.DecodeMessage(data)
		switch {
		case name == "message" && invalid == nil:
			data = repairMessage(data)
		case name != "endpoint": // that of the SSE transport
			data = nil
		}
		if len(data) > 0 {
			lines := bytes.ReplaceAll(data, []byte("\n"), []byte("\ndata: "))
			fields = fmt.Appendf(fields, "event: %s\ndata: %s\n", name, lines)
		}
		if len(fields) > 0 {
			fmt.Fprintf(&r.out, "%s\n", fields)
		}
		return err
	}
}

// readLine returns the next line without its end, which is LF, CR or both.
func (r *eventReader) readLine(limit int) (line []byte, err error) {
	for len(line) <= limit {
		b, err := r.in.ReadByte()
		if err != nil {
			return line, err
		}
		second := r.afterCR && b == '\n'
		r.afterCR = b == '\r'
		switch {
		case second:
		case b == '\n' || b == '\r':
			return line, nil
		default:
			line = append(line, b)
		}
	}
	return nil, errTooLarge
}

// repairMessage returns the message with a repaired result.
func repairMessage(encoded []byte) []byte {
	message, err := jsonrpc.DecodeMessage(encoded)
	response, isResponse := message.(*jsonrpc.Response)
	if err != nil || !isResponse {
		return encoded
	}
	result, changed := repairResult(response.Result)
	response.Result = result
	if repaired, err := jsonrpc.EncodeMessage(response); changed && err == nil {
		return repaired
	}
	return encoded
}

// streamTransport keeps the stream open on which a server sends its notices.
//
// The SDK opens that stream while it connects, waits for the answer however long it takes, and gives the session up when
// the stream ends a few times. Servers may never answer, refuse, or end the stream at any moment, and none of that says
// anything about the session. So the SDK gets a stream that opens at once and lasts as long as the session; behind it the
// real one is opened as often as needed.
type streamTransport struct {
	base    http.RoundTripper
	config  Config
	changed func() // notices may have been missed, or the server may be gone
}

// RoundTrip implements [http.RoundTripper]. The request for the stream is answered here.
func (t *streamTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	// With an event id the request asks for the rest of an interrupted answer; with a response it follows a redirect.
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
	ctx, pause := request.Context(), t.config.RetryInterval
	defer func() { _ = out.Close() }()
	for first := true; ctx.Err() == nil; first = false {
		begun := time.Now()
		response, err := (&http.Client{Transport: t.base}).Do(request.Clone(ctx))
		if err == nil {
			if !first {
				t.changed()
			}
			events, offered := response.Body.(*eventReader)
			if offered {
				_, _ = io.Copy(out, events) // how it ended makes no difference
			}
			_ = response.Body.Close()
			if !offered && response.StatusCode < 500 && response.StatusCode != http.StatusTooManyRequests {
				break
			}
		}
		t.changed()
		if time.Since(begun) > t.config.RetryMaxInterval {
			pause = t.config.RetryInterval
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = nextPause(pause, t.config.RetryMaxInterval)
	}
	<-ctx.Done()
}
