package agent

import (
	"encoding/json"
	"slices"
	"sync"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/openai/openai-go/v3"
)

// turn is a user's message, what the model and the tools said, and the model's answer.
type turn []openai.ChatCompletionMessageParamUnion

// conversations remembers conversations, and the turns of tasks that wait for their user. Together they stay below a
// number of bytes: the least recently used are forgotten first. A turn enters the history as a whole at its end, so that
// concurrent messages of one conversation do not mix.
type conversations struct {
	maxMessages, maxBytes int

	mu       sync.Mutex
	bytes    int
	uses     int // counts up with every use
	memories map[memoryKey]memory
}

// memoryKey is the task of a waiting turn, or else a caller's conversation.
type memoryKey struct {
	task            a2a.TaskID
	caller, context string
}

type memory struct {
	turns      []turn
	bytes, use int
}

func newConversations(maxMessages, maxBytes int) *conversations {
	return &conversations{maxMessages: maxMessages, maxBytes: maxBytes, memories: map[memoryKey]memory{}}
}

// begin returns the history and the turn that a request begins or, if its task waited for it, continues.
func (c *conversations) begin(request Request) (history, current turn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	conversation := conversationOf(request)
	if turns := c.take(conversation); turns != nil {
		c.put(conversation, turns) // used now
		history = slices.Concat(turns...)
	}
	waiting := c.take(memoryKey{task: request.TaskID})
	if waiting == nil {
		return history, turn{openai.UserMessage(request.Text())}
	}
	current = waiting[0]
	for _, callID := range openCalls(current) {
		current = append(current, openai.ToolMessage(request.Text(), callID))
	}
	return history, current
}

// end adds a finished turn to the history, which loses its oldest turns if it is too long. A turn that is too long by itself
// keeps its question and its answer: servers refuse tool calls without their results.
func (c *conversations) end(request Request, finished turn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(finished) > c.maxMessages {
		finished = turn{finished[0], finished[len(finished)-1]}
	}
	turns := append(c.take(conversationOf(request)), finished)
	for len(turns) > 0 && len(slices.Concat(turns...)) > c.maxMessages {
		turns = turns[1:]
	}
	c.put(conversationOf(request), turns)
}

// wait keeps a turn until its task is continued.
func (c *conversations) wait(request Request, unfinished turn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.put(memoryKey{task: request.TaskID}, []turn{unfinished})
}

// forget drops the turn of a task that will not be continued.
func (c *conversations) forget(task a2a.TaskID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.take(memoryKey{task: task})
}

func conversationOf(request Request) memoryKey {
	return memoryKey{caller: request.Caller, context: request.ContextID}
}

// take removes the turns that are kept for a key and returns them.
func (c *conversations) take(key memoryKey) []turn {
	taken := c.memories[key]
	delete(c.memories, key)
	c.bytes -= taken.bytes
	return taken.turns
}

// put keeps turns, and forgets others to make room for them.
func (c *conversations) put(key memoryKey, turns []turn) {
	encoded, _ := json.Marshal(turns) // for the size
	c.uses++
	c.memories[key] = memory{turns, len(encoded), c.uses}
	for c.bytes += len(encoded); c.bytes > c.maxBytes; {
		oldest := key
		for other, kept := range c.memories {
			if kept.use < c.memories[oldest].use {
				oldest = other
			}
		}
		c.take(oldest)
	}
}

// openCalls returns the ids of the calls that have no result yet.
func openCalls(messages turn) []string {
	var open []string
	for _, message := range messages {
		if message.OfAssistant != nil {
			for _, call := range message.OfAssistant.ToolCalls {
				open = append(open, call.OfFunction.ID)
			}
		}
		if message.OfTool != nil {
			open = slices.DeleteFunc(open, func(id string) bool { return id == message.OfTool.ToolCallID })
		}
	}
	return open
}
