package server

import (
	"bytes"
	//adl:if push
	"context"
	//adl:end
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	//adl:if v03
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	//adl:end
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	//adl:if push
	"github.com/a2aproject/a2a-go/v2/a2asrv/push"
	//adl:end
)

// versions are the versions of the A2A protocol that the agent speaks, the preferred one first.
var versions = []a2a.ProtocolVersion{
	a2a.Version,
	//adl:if v03
	a2av0.Version,
	//adl:end
}

// keepAliveInterval is how often a stream without events shows proxies that it is alive.
const keepAliveInterval = 15 * time.Second

// Limits of a request: the library copies tasks, which takes about 1 KB for each JSON token and time that grows with the
// square of the depth.
const maxDepth, maxTokens = 100, 200_000

// JSON-RPC error codes.
const (
	codeInvalidRequest      = -32600
	codeInvalidParams       = -32602
	codeVersionNotSupported = -32009
)

// routes completes the card and serves it, A2A requests and the checks of health and readiness.
func (s *Server) routes(executor a2asrv.AgentExecutor, store *Store, card *a2a.AgentCard) (http.Handler, error) {
	card.Capabilities.Streaming = s.Capabilities.Streaming
	//adl:if push
	card.Capabilities.PushNotifications = s.Capabilities.PushNotifications
	//adl:end
	for _, version := range versions {
		card.SupportedInterfaces = append(card.SupportedInterfaces, &a2a.AgentInterface{
			URL: s.url(), ProtocolBinding: a2a.TransportProtocolJSONRPC, ProtocolVersion: version,
		})
	}
	document, err := json.Marshal(card)
	if err != nil {
		return nil, err
	}
	//adl:if v03
	if document, err = s.legacyCard(card, document); err != nil {
		return nil, err
	}
	//adl:end
	mux := http.NewServeMux()
	mux.Handle("GET "+a2asrv.WellKnownAgentCardPath, serveCard(document))
	mux.HandleFunc("GET "+healthPath, func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]any{"status": "healthy"})
	})
	mux.HandleFunc("GET /ready", func(w http.ResponseWriter, _ *http.Request) {
		if s.Ready == nil || s.Ready() {
			writeJSON(w, http.StatusOK, map[string]any{"status": "ready"})
		} else {
			writeJSON(w, http.StatusServiceUnavailable, map[string]any{"status": "not ready"})
		}
	})
	rpc := s.rpc(executor, store, card)
	for _, path := range []string{"/{$}", "/a2a", "/a2a/{$}"} {
		mux.Handle("POST "+path, rpc)
	}
	return mux, nil
}

// rpc passes a request to the handler of its protocol version. Requests of web pages from other sites are refused: a
// browser would send them to an agent on its user's machine.
func (s *Server) rpc(executor a2asrv.AgentExecutor, store *Store, card *a2a.AgentCard) http.Handler {
	requests := s.requestHandler(executor, store, card)
	options := []a2asrv.TransportOption{
		a2asrv.WithTransportKeepAlive(keepAliveInterval), a2asrv.WithTransportPanicHandler(s.recovered),
	}
	current := a2asrv.NewJSONRPCHandler(requests, options...)
	//adl:if v03
	legacy := a2av0.NewJSONRPCHandler(requests, options...)
	//adl:end
	protection := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refuse := func(status int, format string, values ...any) {
			writeError(w, status, nil, codeInvalidRequest, fmt.Sprintf(format, values...))
		}
		if protection.Check(r) != nil {
			refuse(http.StatusForbidden, "cross-origin requests are not allowed")
			return
		}
		if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
			refuse(http.StatusUnsupportedMediaType, "the content type must be application/json")
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(s.config.MaxBodyBytes)))
		var tooLarge *http.MaxBytesError
		switch {
		case errors.As(err, &tooLarge):
			refuse(http.StatusRequestEntityTooLarge, "the request is larger than %d bytes", tooLarge.Limit)
			return
		case err != nil:
			refuse(http.StatusBadRequest, "cannot read the request")
			return
		case isTooComplex(body):
			refuse(http.StatusBadRequest, "the request is nested deeper than %d levels or has more than %d JSON tokens", maxDepth, maxTokens)
			return
		}
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // the read timeout would end a long answer
		r.Body = io.NopCloser(bytes.NewReader(body))
		var request envelope
		_ = json.Unmarshal(body, &request) // what is no request is refused by the library
		version := r.Header.Get(a2a.SvcParamVersion)
		protocol := current
		switch {
		//adl:if v03
		case isRelease(version, a2av0.Version),
			version == "" && (request.Method == "" || strings.Contains(request.Method, "/")): // its clients send no version
			protocol = legacy
		//adl:end
		case version != "" && !isRelease(version, a2a.Version):
			writeError(w, http.StatusOK, request.ID, codeVersionNotSupported, "this version of the A2A protocol is not supported")
			return
		}
		if problem := request.invalidParams(); problem != "" {
			writeError(w, http.StatusOK, request.ID, codeInvalidParams, problem)
			return
		}
		protocol.ServeHTTP(w, r)
	})
}

// requestHandler connects the executor and the store with the library.
func (s *Server) requestHandler(executor a2asrv.AgentExecutor, store *Store, card *a2a.AgentCard) a2asrv.RequestHandler {
	library := slog.New(slog.DiscardHandler)
	if s.config.Debug {
		library = s.logger
	}
	options := []a2asrv.RequestHandlerOption{
		a2asrv.WithTaskStore(store),
		a2asrv.WithCapabilityChecks(&card.Capabilities),
		a2asrv.WithLogger(library),
		a2asrv.WithCallInterceptors(corrections{store, s.logger}),
		a2asrv.WithExecutionPanicHandler(s.recovered),
	}
	//adl:if push
	if card.Capabilities.PushNotifications {
		configs := push.NewInMemoryStore()
		store.onDrop = func(task a2a.TaskID) { _ = configs.DeleteAll(context.Background(), task) }
		options = append(options, a2asrv.WithPushNotifications(configs, newWebhooks(s.logger)))
	}
	//adl:end
	return canceler{a2asrv.NewHandler(executor, options...), store}
}

// recovered logs a panic and keeps its text from the client.
func (s *Server) recovered(p any) error {
	s.logger.Error("panic in a request", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	return a2a.ErrInternalError
}

// isRelease reports whether a version such as 0.3.1 belongs to a release such as 0.3.
func isRelease(version string, release a2a.ProtocolVersion) bool {
	return strings.HasPrefix(version+".", string(release)+".")
}

// isTooComplex reports whether JSON exceeds maxDepth or maxTokens.
func isTooComplex(text []byte) bool {
	decoder := json.NewDecoder(bytes.NewReader(text))
	for depth, tokens := 0, 0; depth <= maxDepth && tokens <= maxTokens; tokens++ {
		switch token, err := decoder.Token(); {
		case err != nil: // also at the end
			return false
		case token == json.Delim('{') || token == json.Delim('['):
			depth++
		case token == json.Delim('}') || token == json.Delim(']'):
			depth--
		}
	}
	return true
}

func writeError(w http.ResponseWriter, status int, id json.RawMessage, code int, message string) {
	writeJSON(w, status, map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": message}})
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

// serveCard serves the card to pages of every site, and lets clients keep it for a while.
func serveCard(document []byte) http.Handler {
	tag := fmt.Sprintf(`"%x"`, sha256.Sum256(document))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Cache-Control", "public, max-age=60")
		w.Header().Set("ETag", tag)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(document))
	})
}
