//! Model providers: the base URL of their OpenAI-compatible API, and the variable that usually contains the API key.
//!
//! The URLs are those in the providers' documentation for OpenAI clients. Providers without a fixed URL (Cloudflare's
//! contains the account) have none, so the agent requires `A2A_AGENT_CLIENT_BASE_URL`.

use serde::Serialize;

/// A model provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Provider {
    /// The name in `spec.agent.provider`.
    pub name: &'static str,
    /// Base URL of the OpenAI-compatible API; empty if it differs between accounts.
    pub address: &'static str,
    /// The variable that usually contains the API key.
    pub key: &'static str,
}

const fn provider(name: &'static str, address: &'static str, key: &'static str) -> Provider {
    Provider { name, address, key }
}

/// The providers that a manifest may name.
pub const PROVIDERS: [Provider; 13] = [
    provider("anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
    provider("cloudflare", "", "CLOUDFLARE_API_KEY"),
    provider("cohere", "https://api.cohere.ai/compatibility/v1", "COHERE_API_KEY"),
    provider("deepseek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
    provider("google", "https://generativelanguage.googleapis.com/v1beta/openai", "GOOGLE_API_KEY"),
    provider("groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    provider("minimax", "https://api.minimax.io/v1", "MINIMAX_API_KEY"),
    provider("mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    provider("moonshot", "https://api.moonshot.ai/v1", "MOONSHOT_API_KEY"),
    provider("nvidia", "https://integrate.api.nvidia.com/v1", "NVIDIA_API_KEY"),
    provider("ollama", "http://localhost:11434/v1", "OLLAMA_API_KEY"),
    provider("ollama_cloud", "https://ollama.com/v1", "OLLAMA_CLOUD_API_KEY"),
    provider("openai", "https://api.openai.com/v1", "OPENAI_API_KEY"),
];

/// Finds a provider by name.
pub fn find(name: &str) -> Option<Provider> {
    PROVIDERS.into_iter().find(|provider| provider.name == name)
}

/// Whether the provider has a fixed URL, so that `A2A_AGENT_CLIENT_BASE_URL` is not required.
pub(super) fn has_address(name: &str) -> bool {
    find(name).is_some_and(|provider| !provider.address.is_empty())
}

/// The variable that usually contains the provider's API key.
pub(super) fn key_variable(name: &str) -> Option<&'static str> {
    find(name).map(|provider| provider.key)
}
