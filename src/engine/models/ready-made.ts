import type { Modality, Wire } from '#engine/turn'
import type { Feature, Model } from './models.ts'
import { knownPrice } from './prices.ts'
import { defaultTimeouts, type ProviderConfig } from './provider-settings.ts'
import type { VendorKeys } from './settings.ts'

/** One vendor whose key in the environment is enough: its address and a handful of its current models. */
interface Vendor {
  id: Exclude<keyof VendorKeys, 'ollamaHost'>
  name: string
  baseUrl: string
  /** That it speaks; chat alone where absent. */
  wires?: Wire[]
  onDisconnect: 'cancel' | 'drain'
  takesLinks?: boolean
  /** Its chat and Responses wires take `reasoning.max_tokens`. */
  takesReasoningBudget?: boolean
  models: Listed[]
}

interface Listed {
  /** The vendor's own name. */
  model: string
  displayName: string
  contextLength: number
  maxOutputTokens: number
  inputModalities: Modality[]
  features: Feature[]
  efforts: string[]
}

const seeing: Modality[] = ['text', 'image']
const tooled: Feature[] = ['tools', 'json_schema']
const reasoned: Feature[] = ['tools', 'json_schema', 'reasoning']

const listed = (
  model: string,
  displayName: string,
  [contextLength, maxOutputTokens]: [number, number],
  inputModalities: Modality[],
  features: Feature[],
  efforts: string[] = [],
): Listed => ({ model, displayName, contextLength, maxOutputTokens, inputModalities, features, efforts })

const fiveEfforts = ['none', 'low', 'medium', 'high', 'xhigh']
const sixEfforts = ['none', 'low', 'medium', 'high', 'xhigh', 'max']
const threeEfforts = ['low', 'medium', 'high']

/** The first model of a vendor is its quick one: the default when no other is named. Figures are the vendors' own, 2026-11. */
const vendors: Vendor[] = [
  {
    id: 'openai',
    name: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    wires: ['responses', 'chat'],
    onDisconnect: 'cancel',
    models: [
      listed('gpt-5.4-mini', 'GPT-5.4 mini', [400_000, 128_000], seeing, reasoned, fiveEfforts),
      listed('gpt-5.4-nano', 'GPT-5.4 nano', [400_000, 128_000], seeing, reasoned, fiveEfforts),
      listed('gpt-5.4', 'GPT-5.4', [1_050_000, 128_000], seeing, reasoned, fiveEfforts),
      // On the chat wire GPT-6 calls tools only without reasoning, so it is not offered for tools here.
      listed(
        'gpt-6-luna',
        'GPT-6 Luna',
        [1_050_000, 128_000],
        seeing,
        ['json_schema', 'reasoning'],
        sixEfforts,
      ),
      listed(
        'gpt-6-sol',
        'GPT-6 Sol',
        [1_050_000, 128_000],
        seeing,
        ['json_schema', 'reasoning'],
        sixEfforts,
      ),
      listed('gpt-4.1-mini', 'GPT-4.1 mini', [1_000_000, 32_768], seeing, tooled),
    ],
  },
  {
    id: 'anthropic',
    name: 'Anthropic',
    // What its OpenAI-compatible door has not, json_schema and efforts, is not offered.
    baseUrl: 'https://api.anthropic.com/v1',
    wires: ['messages', 'chat'],
    onDisconnect: 'cancel',
    models: [
      listed('claude-haiku-4-5', 'Claude Haiku 4.5', [200_000, 64_000], seeing, ['tools']),
      listed('claude-sonnet-5', 'Claude Sonnet 5', [1_000_000, 64_000], seeing, ['tools']),
      listed('claude-opus-5-5', 'Claude Opus 5.5', [1_000_000, 64_000], seeing, ['tools']),
    ],
  },
  {
    id: 'openrouter',
    name: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    wires: ['chat', 'responses', 'messages'],
    takesReasoningBudget: true,
    // Not every upstream behind it can be cancelled, so the usage report is awaited.
    onDisconnect: 'drain',
    models: [
      listed('openai/gpt-5.4-mini', 'GPT-5.4 mini', [400_000, 128_000], seeing, reasoned, threeEfforts),
      listed(
        'anthropic/claude-sonnet-5',
        'Claude Sonnet 5',
        [1_000_000, 64_000],
        seeing,
        reasoned,
        threeEfforts,
      ),
      listed(
        'google/gemini-3.5-flash',
        'Gemini 3.5 Flash',
        [1_048_576, 65_536],
        seeing,
        reasoned,
        threeEfforts,
      ),
      listed('deepseek/deepseek-v4-flash', 'DeepSeek V4 Flash', [128_000, 8_192], ['text'], ['tools']),
      listed('qwen/qwen3.7-plus', 'Qwen3.7 Plus', [1_000_000, 32_768], ['text'], ['tools']),
    ],
  },
  {
    id: 'gemini',
    name: 'Google',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    onDisconnect: 'cancel',
    // Its OpenAI-compatible door is documented with inline pictures alone.
    takesLinks: false,
    models: [
      listed('gemini-3.8-flash', 'Gemini 3.8 Flash', [1_000_000, 65_536], seeing, reasoned, threeEfforts),
      listed(
        'gemini-3.1-flash-lite',
        'Gemini 3.1 Flash-Lite',
        [1_000_000, 65_536],
        seeing,
        reasoned,
        threeEfforts,
      ),
      listed('gemini-3.1-pro-preview', 'Gemini 3.1 Pro', [1_048_576, 65_536], seeing, reasoned, threeEfforts),
    ],
  },
  {
    id: 'deepseek',
    name: 'DeepSeek',
    baseUrl: 'https://api.deepseek.com/v1',
    onDisconnect: 'cancel',
    models: [
      listed('deepseek-v4-flash', 'DeepSeek V4 Flash', [1_000_000, 65_536], ['text'], ['tools']),
      listed('deepseek-v4-pro', 'DeepSeek V4 Pro', [1_000_000, 65_536], ['text'], ['tools']),
    ],
  },
  {
    id: 'groq',
    name: 'Groq',
    baseUrl: 'https://api.groq.com/openai/v1',
    onDisconnect: 'cancel',
    models: [
      listed('llama-3.1-8b-instant', 'Llama 3.1 8B', [131_072, 8_192], ['text'], ['tools']),
      listed('llama-3.3-70b-versatile', 'Llama 3.3 70B', [131_072, 32_768], ['text'], ['tools']),
      listed('openai/gpt-oss-120b', 'GPT-OSS 120B', [131_072, 65_536], ['text'], reasoned, threeEfforts),
    ],
  },
  {
    id: 'mistral',
    name: 'Mistral',
    baseUrl: 'https://api.mistral.ai/v1',
    onDisconnect: 'cancel',
    models: [
      listed('mistral-small-2603', 'Mistral Small', [262_144, 32_768], seeing, tooled),
      listed('mistral-large-2512', 'Mistral Large 3', [262_144, 32_768], seeing, tooled),
      listed('codestral-2508', 'Codestral', [256_000, 32_768], ['text'], tooled),
    ],
  },
]

/** When the lists above were read; every ready-made model carries it as its birth. Unix seconds. */
const listedAt = Date.UTC(2026, 10, 20) / 1_000

/** Providers and models for the vendor keys found. A model whose price the data package does not know is left out. */
export function readyMade(keys: VendorKeys): { providers: ProviderConfig[]; models: Model[] } {
  const found = vendors.flatMap((vendor) => {
    const apiKey = keys[vendor.id]
    return apiKey === undefined ? [] : [{ vendor, apiKey }]
  })
  return {
    providers: found.map(({ vendor, apiKey }) => ({
      id: vendor.id,
      baseUrl: vendor.baseUrl,
      apiKey,
      dialects: wiresOf(vendor),
      timeouts: defaultTimeouts,
      onDisconnect: vendor.onDisconnect,
      headers: {},
      ...(vendor.takesLinks !== undefined && { takesLinks: vendor.takesLinks }),
      ...(vendor.takesReasoningBudget && { takesReasoningBudget: true }),
    })),
    models: found.flatMap(({ vendor }) => vendor.models.flatMap((entry) => modelOf(vendor, entry))),
  }
}

const wiresOf = ({ wires = ['chat'] }: Vendor): Wire[] => wires

/** Where a vendor charges long prompts more, the window ends at the step, so that one price stays exact; an entry in the file may widen it. */
function modelOf(vendor: Vendor, entry: Listed): Model[] {
  const known = knownPrice(vendor.baseUrl, entry.model)
  if (!known) return []
  const contextLength = Math.min(entry.contextLength, known.steadyUpTo ?? entry.contextLength)
  return [
    {
      id: `${vendor.id}/${entry.model}`,
      kind: 'text',
      displayName: entry.displayName,
      description: `${entry.displayName} by way of ${vendor.name}.`,
      ownedBy: vendor.id,
      created: listedAt,
      sandbox: false,
      deployments: [
        {
          id: `${vendor.id}/${entry.model}`,
          provider: vendor.id,
          model: entry.model,
          weight: 1,
          priority: 0,
          wires: wiresOf(vendor),
          ...(vendor.takesReasoningBudget && { takesReasoningBudget: true }),
        },
      ],
      fallbacks: [],
      contextLength,
      maxOutputTokens: Math.min(entry.maxOutputTokens, contextLength),
      inputModalities: entry.inputModalities,
      features: entry.features,
      supportedEfforts: entry.efforts,
      pricing: known.pricing,
    },
  ]
}
