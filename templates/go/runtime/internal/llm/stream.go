package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/ssestream"
)

// maxAnswer bounds the text and the tool calls of one answer, in bytes.
const maxAnswer = 4 << 20

// Completion is one answer of the model: text, tool calls, or both.
type Completion struct {
	Text  string
	Calls []Call
	// Truncated reports whether the model stopped at its token limit.
	Truncated bool
}

// Call is a tool call. Arguments should be a JSON object, but a model may write anything.
type Call struct{ ID, Name, Arguments string }

// Message returns the answer as a message of the conversation. Arguments that are not JSON are replaced: some servers
// refuse a conversation that contains them, and the result of the call tells the model what was wrong.
func (c *Completion) Message() openai.ChatCompletionMessageParamUnion {
	var message openai.ChatCompletionAssistantMessageParam
	if c.Text != "" || len(c.Calls) == 0 {
		message.Content.OfString = openai.String(c.Text)
	}
	for _, call := range c.Calls {
		if !json.Valid([]byte(call.Arguments)) {
			call.Arguments = "{}"
		}
		message.ToolCalls = append(message.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
				ID:       call.ID,
				Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: call.Name, Arguments: call.Arguments},
			},
		})
	}
	return openai.ChatCompletionMessageParamUnion{OfAssistant: &message}
}

// accumulator puts an answer together from its chunks.
//
// The library's ChatCompletionAccumulator merges tool calls whose chunks have no index, which some providers leave out,
// and those that all have index 0. This type can go when the library distinguishes them by id.
type accumulator struct {
	text         strings.Builder
	calls        []*partialCall
	finishReason string
	chunks, size int
}

type partialCall struct {
	index     int64
	indexed   bool
	id, name  string
	arguments strings.Builder
}

// add takes the next chunk and returns its text.
func (a *accumulator) add(chunk openai.ChatCompletionChunk) (string, error) {
	a.chunks++
	var text string
	for _, choice := range chunk.Choices {
		if choice.Index != 0 {
			continue
		}
		text += choice.Delta.Content + choice.Delta.Refusal
		for _, delta := range choice.Delta.ToolCalls {
			call := a.call(delta)
			if delta.Function.Name != "" {
				call.name = delta.Function.Name
			}
			call.arguments.WriteString(delta.Function.Arguments)
			a.size += len(delta.Function.Arguments)
		}
		if choice.FinishReason != "" {
			a.finishReason = choice.FinishReason
		}
	}
	a.text.WriteString(text)
	if a.size += len(text); a.size > maxAnswer {
		return "", &Error{Message: fmt.Sprintf("the model's answer is longer than %d MiB", maxAnswer>>20)}
	}
	return text, nil
}

// call returns the call that a delta belongs to. Without an index, an id or else a name begins a new call.
func (a *accumulator) call(delta openai.ChatCompletionChunkChoiceDeltaToolCall) *partialCall {
	indexed := delta.JSON.Index.Valid()
	for i := len(a.calls) - 1; i >= 0; i-- {
		call := a.calls[i]
		sameID := delta.ID == "" || call.id == delta.ID
		switch {
		case indexed && call.indexed && call.index == delta.Index && (sameID || call.id == ""),
			!indexed && delta.ID != "" && sameID,
			!indexed && delta.ID == "" && delta.Function.Name == "":
			return call
		}
	}
	call := &partialCall{index: delta.Index, indexed: indexed, id: delta.ID}
	a.calls = append(a.calls, call)
	return call
}

// completion returns the whole answer; done reports whether the server marked its end. An answer that broke off is an
// error, as a tool would be called with half of its arguments.
func (a *accumulator) completion(done bool) (*Completion, error) {
	switch {
	case a.chunks == 0:
		return nil, &Error{Message: "the model server's answer is invalid"}
	case a.finishReason == "" && !done:
		return nil, &Error{Message: "the model server's answer broke off"}
	case a.finishReason == "content_filter":
		return nil, &Error{Message: "the model's content filter stopped the answer"}
	}
	completion := &Completion{Text: a.text.String(), Truncated: a.finishReason == "length"}
	for i, call := range a.calls {
		if call.id == "" {
			call.id = fmt.Sprintf("call_%d", i+1)
		}
		completion.Calls = append(completion.Calls, Call{call.id, call.name, call.arguments.String()})
	}
	if count := len(a.calls); completion.Truncated && count > 0 && a.calls[count-1].arguments.Len() == 0 {
		return nil, &Error{Message: "the model reached its token limit before it wrote the arguments of a tool call"}
	}
	return completion, nil
}

// doneDecoder notes the end mark of a stream. The library ends a stream that was cut off in the same way; this type can
// go when ssestream.Stream distinguishes the two.
type doneDecoder struct {
	ssestream.Decoder
	done bool
}

func (d *doneDecoder) Next() bool {
	more := d.Decoder.Next()
	d.done = d.done || more && bytes.HasPrefix(d.Event().Data, []byte("[DONE]"))
	return more
}

// errSilence is the cause with which a request ends whose server sent nothing for too long.
var errSilence = errors.New("no data from the server")

// silenceTimeout calls expire when no byte arrives for a while. The library's option.WithRequestTimeout bounds the whole
// answer instead, however steadily it arrives.
type silenceTimeout struct {
	limit  time.Duration
	expire func()
}

func (s silenceTimeout) RoundTrip(request *http.Request) (*http.Response, error) {
	timer := time.AfterFunc(s.limit, s.expire)
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		timer.Stop()
		return nil, err
	}
	response.Body = &timedBody{response.Body, timer, s.limit}
	return response, nil
}

type timedBody struct {
	io.ReadCloser
	timer *time.Timer
	limit time.Duration
}

func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.timer.Reset(b.limit)
	return n, err
}

func (b *timedBody) Close() error {
	b.timer.Stop()
	return b.ReadCloser.Close()
}
