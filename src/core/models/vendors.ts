/** The vendors whose key in the environment is enough: each with its name and the variable of its key. */
export const knownVendors = {
  openai: { name: 'OpenAI', variable: 'OPENAI_API_KEY' },
  anthropic: { name: 'Anthropic', variable: 'ANTHROPIC_API_KEY' },
  openrouter: { name: 'OpenRouter', variable: 'OPENROUTER_API_KEY' },
  gemini: { name: 'Google', variable: 'GEMINI_API_KEY' },
  deepseek: { name: 'DeepSeek', variable: 'DEEPSEEK_API_KEY' },
  groq: { name: 'Groq', variable: 'GROQ_API_KEY' },
  mistral: { name: 'Mistral', variable: 'MISTRAL_API_KEY' },
  elevenlabs: { name: 'ElevenLabs', variable: 'ELEVENLABS_API_KEY' },
  fal: { name: 'fal', variable: 'FAL_KEY' },
  deepgram: { name: 'Deepgram', variable: 'DEEPGRAM_API_KEY' },
} as const

export type VendorId = keyof typeof knownVendors

export const vendorIds = Object.keys(knownVendors) as VendorId[]
