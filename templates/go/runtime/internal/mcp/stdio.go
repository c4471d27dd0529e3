package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// terminateTime is the time for a command to end by itself, and again after SIGTERM. Both fit into shutdownGrace.
	terminateTime = time.Second
	// maxLine bounds one line of a command's log, in bytes.
	maxLine = 4096
)

// inherited are the variables that a command gets from the agent's own environment. The others may be secrets that are
// none of its business; what it needs is to be declared.
var inherited = []string{
	"HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER",
	"APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "USERNAME",
	"USERPROFILE",
}

// commandTarget fills in the texts of a server of the manifest that is a command.
func commandTarget(server Server, lookup lookup) (*target, error) {
	t := &target{name: server.Name, command: server.Command, args: slices.Clone(server.Args)}
	var err error
	for i, argument := range t.args {
		if t.args[i], err = t.expand(lookup, argument, t.field(fmt.Sprintf("args[%d]", i))); err != nil {
			return nil, err
		}
	}
	t.env, err = t.expandAll(lookup, "env", server.Env)
	return t, err
}

// commandTransport runs a command as the server.
func (s *server) commandTransport(*session) sdk.Transport {
	command := exec.Command(s.command, s.args...)
	command.Env = []string{} // nil would inherit everything
	for _, name := range inherited {
		if value, set := os.LookupEnv(name); set {
			command.Env = append(command.Env, name+"="+value)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.env)) {
		command.Env = append(command.Env, name+"="+s.env[name])
	}
	log := &lineLog{server: s}
	command.Stderr = log
	command.WaitDelay = terminateTime // a child of the command may keep its standard error open
	return &commandTransport{sdk.CommandTransport{Command: command, TerminateDuration: terminateTime}, log}
}

// commandTransport makes connections whose error includes how the command ended.
type commandTransport struct {
	sdk.CommandTransport
	log *lineLog
}

// Connect implements [sdk.Transport].
func (t *commandTransport) Connect(ctx context.Context) (sdk.Connection, error) {
	connection, err := t.CommandTransport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &commandConn{connection, t.log}, nil
}

type commandConn struct {
	sdk.Connection
	log *lineLog
}

// Read implements [sdk.Connection].
func (c *commandConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	message, err := c.Connection.Read(ctx)
	if err == nil {
		if response, isResponse := message.(*jsonrpc.Response); isResponse {
			response.Result = repairResult(response.Result)
		}
		return message, nil
	}
	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	text := "the command ended"
	if status := c.Close(); status != nil { // it waits for the command
		text += ", " + status.Error()
	}
	if line := c.log.end(); line != "" {
		text += ": " + line
	}
	return nil, errors.New(text)
}

// lineLog logs the standard error of a command, line by line, at level debug.
type lineLog struct {
	server *server

	mu   sync.Mutex
	rest []byte // the line that is not complete yet
	last string // the last one that was not blank
}

// Write implements [io.Writer].
func (l *lineLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest = append(l.rest, p...)
	for {
		line, rest, complete := bytes.Cut(l.rest, []byte("\n"))
		if !complete && len(line) < maxLine {
			return len(p), nil
		}
		l.log(line)
		l.rest = bytes.Clone(rest)
	}
}

// end logs what is left and returns the last line.
func (l *lineLog) end() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.log(l.rest)
	l.rest = nil
	return l.last
}

func (l *lineLog) log(line []byte) {
	text := strings.TrimSpace(l.server.redact(string(line)))
	if text != "" {
		l.server.logger.Debug("MCP server wrote", "text", text)
		l.last = text
	}
}
