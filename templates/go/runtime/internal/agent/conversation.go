package agent

import (
	"container/list"
	"encoding/json"
	"slices"
	"sync"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/openai/openai-go/v3"
)

// turn is a user's message, what the model and the tools said, and the model's answer.
type turn []openai.ChatCompletionMessageParamUnion

func turnOf(messages ...openai.ChatCompletionMessageParamUnion) turn { return messages }

// conversations remembers conversations, and the turns of tasks that wait for their user. Together they are held below
// a number of bytes: those that were not used for the longest time are forgotten first. A turn enters the history as a
// whole at its end, so that two messages at once in one conversation do not mix.
type conversations struct {
	maxMessages, maxBytes int

	mu      sync.Mutex
	bytes   int
	order   *list.List // of *memory, the latest in front
	entries map[memoryKey]*list.Element
}

// memoryKey is the task of a waiting turn, or else a caller's conversation.
type memoryKey struct {
	task            a2a.TaskID
	caller, context string
}

type memory struct {
	key   memoryKey
	turns []turn
	sizes []int
}

func newConversations(maxMessages, maxBytes int) *conversations {
	return &conversations{maxMessages: maxMessages, maxBytes: maxBytes, order: list.New(), entries: map[memoryKey]*list.Element{}}
}

// begin returns what was said before and the turn that a request begins or, if its task waited for it, goes on with.
func (c *conversations) begin(request Request) (history, current turn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	history = slices.Concat(c.get(conversationOf(request)).turns...)
	waiting := c.take(memoryKey{task: request.TaskID})
	if len(waiting.turns) == 0 {
		return history, turn{openai.UserMessage(request.Text())}
	}
	current = waiting.turns[0]
	for _, callID := range openCalls(current) {
		current = append(current, openai.ToolMessage(request.Text(), callID))
	}
	return history, current
}

// end adds a finished turn to the history.
func (c *conversations) end(request Request, finished turn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	conversation := c.take(conversationOf(request))
	conversation.turns = append(conversation.turns, finished)
	conversation.sizes = append(conversation.sizes, size(finished))
	conversation.trim(c.maxMessages)
	c.put(conversation)
}

// wait keeps a turn until its task is continued.
func (c *conversations) wait(request Request, unfinished turn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.put(&memory{memoryKey{task: request.TaskID}, []turn{unfinished}, []int{size(unfinished)}})
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

func size(messages turn) int {
	encoded, _ := json.Marshal(messages)
	return len(encoded)
}

func (m *memory) size() int {
	sum := 0
	for _, size := range m.sizes {
		sum += size
	}
	return sum
}

func (c *conversations) get(key memoryKey) *memory {
	element := c.entries[key]
	if element == nil {
		return &memory{key: key}
	}
	c.order.MoveToFront(element)
	return element.Value.(*memory)
}

func (c *conversations) take(key memoryKey) *memory {
	taken := c.get(key)
	if element := c.entries[key]; element != nil {
		c.order.Remove(element)
		delete(c.entries, key)
		c.bytes -= taken.size()
	}
	return taken
}

func (c *conversations) put(added *memory) {
	c.entries[added.key] = c.order.PushFront(added)
	for c.bytes += added.size(); c.bytes > c.maxBytes; {
		c.take(c.order.Back().Value.(*memory).key)
	}
}

// trim drops the oldest turns until at most limit messages are left. A single turn that is too long keeps its question and
// its answer: tool calls go together with their results, as no server takes one without the other.
func (m *memory) trim(limit int) {
	for len(m.turns) > 1 && len(slices.Concat(m.turns...)) > limit {
		m.turns, m.sizes = m.turns[1:], m.sizes[1:]
	}
	if last := m.turns[0]; len(last) > limit {
		m.turns, m.sizes = nil, nil
		if limit >= 2 {
			summary := turn{last[0], last[len(last)-1]}
			m.turns, m.sizes = []turn{summary}, []int{size(summary)}
		}
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
