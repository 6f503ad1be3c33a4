import type { Modality, Wire } from '#core/turn'
import type { AnyModel } from './kinds/kinds.ts'
import type { Feature, Model } from './models.ts'
import { knownPrice } from './prices.ts'
import { defaultTimeouts, type ProviderConfig } from './provider-settings.ts'
import { mediaDialects, readyMadeMedia } from './ready-made-media.ts'
import type { VendorKeys } from './settings.ts'
import { knownVendors, type VendorId } from './vendors.ts'

/** One vendor whose key in the environment is enough: its address and a handful of its current models. */
interface Vendor {
  id: VendorId
  baseUrl: string
  /** The wires that the vendor speaks; chat alone where absent. */
  wires?: Wire[]
  onDisconnect: 'cancel' | 'drain'
  takesLinks?: boolean
  /** True: the vendor's chat and Responses wires take `reasoning.max_tokens`. */
  takesReasoningBudget?: boolean
  models: VendorModel[]
}

interface VendorModel {
  /** The vendor's own name of the model. */
  model: string
  displayName: string
  contextLength: number
  maxOutputTokens: number
  inputModalities: Modality[]
  features: Feature[]
  efforts: string[]
}

const textAndImage: Modality[] = ['text', 'image']
const toolFeatures: Feature[] = ['tools', 'json_schema']
const reasoningFeatures: Feature[] = ['tools', 'json_schema', 'reasoning']

const vendorModel = (
  model: string,
  displayName: string,
  [contextLength, maxOutputTokens]: [number, number],
  inputModalities: Modality[],
  features: Feature[],
  efforts: string[] = [],
): VendorModel => ({ model, displayName, contextLength, maxOutputTokens, inputModalities, features, efforts })

const fiveEfforts = ['none', 'low', 'medium', 'high', 'xhigh']
const sixEfforts = ['none', 'low', 'medium', 'high', 'xhigh', 'max']
const threeEfforts = ['low', 'medium', 'high']

/** The first model of a vendor is a fast one, and the default when no other is named. Figures are the vendors' own, 2026-11. */
const vendors: Vendor[] = [
  {
    id: 'openai',
    baseUrl: 'https://api.openai.com/v1',
    wires: ['responses', 'chat'],
    onDisconnect: 'cancel',
    models: [
      vendorModel(
        'gpt-5.4-mini',
        'GPT-5.4 mini',
        [400_000, 128_000],
        textAndImage,
        reasoningFeatures,
        fiveEfforts,
      ),
      vendorModel(
        'gpt-5.4-nano',
        'GPT-5.4 nano',
        [400_000, 128_000],
        textAndImage,
        reasoningFeatures,
        fiveEfforts,
      ),
      vendorModel('gpt-5.4', 'GPT-5.4', [1_050_000, 128_000], textAndImage, reasoningFeatures, fiveEfforts),
      // On the chat wire GPT-6 calls tools only without reasoning, so it is not offered for tools here.
      vendorModel(
        'gpt-6-luna',
        'GPT-6 Luna',
        [1_050_000, 128_000],
        textAndImage,
        ['json_schema', 'reasoning'],
        sixEfforts,
      ),
      vendorModel(
        'gpt-6-sol',
        'GPT-6 Sol',
        [1_050_000, 128_000],
        textAndImage,
        ['json_schema', 'reasoning'],
        sixEfforts,
      ),
      vendorModel('gpt-4.1-mini', 'GPT-4.1 mini', [1_000_000, 32_768], textAndImage, toolFeatures),
    ],
  },
  {
    id: 'anthropic',
    // json_schema and efforts, which its OpenAI-compatible endpoint lacks, are not offered.
    baseUrl: 'https://api.anthropic.com/v1',
    wires: ['messages', 'chat'],
    onDisconnect: 'cancel',
    models: [
      vendorModel('claude-haiku-4-5', 'Claude Haiku 4.5', [200_000, 64_000], textAndImage, ['tools']),
      vendorModel('claude-sonnet-5', 'Claude Sonnet 5', [1_000_000, 64_000], textAndImage, ['tools']),
      vendorModel('claude-opus-5-5', 'Claude Opus 5.5', [1_000_000, 64_000], textAndImage, ['tools']),
    ],
  },
  {
    id: 'openrouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    wires: ['chat', 'responses', 'messages'],
    takesReasoningBudget: true,
    // Not every upstream behind OpenRouter can be cancelled, so the usage report is awaited.
    onDisconnect: 'drain',
    models: [
      vendorModel(
        'openai/gpt-5.4-mini',
        'GPT-5.4 mini',
        [400_000, 128_000],
        textAndImage,
        reasoningFeatures,
        threeEfforts,
      ),
      vendorModel(
        'anthropic/claude-sonnet-5',
        'Claude Sonnet 5',
        [1_000_000, 64_000],
        textAndImage,
        reasoningFeatures,
        threeEfforts,
      ),
      vendorModel(
        'google/gemini-3.5-flash',
        'Gemini 3.5 Flash',
        [1_048_576, 65_536],
        textAndImage,
        reasoningFeatures,
        threeEfforts,
      ),
      vendorModel('deepseek/deepseek-v4-flash', 'DeepSeek V4 Flash', [128_000, 8_192], ['text'], ['tools']),
      vendorModel('qwen/qwen3.7-plus', 'Qwen3.7 Plus', [1_000_000, 32_768], ['text'], ['tools']),
    ],
  },
  {
    id: 'gemini',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    onDisconnect: 'cancel',
    // The documentation of its OpenAI-compatible endpoint covers only inline pictures.
    takesLinks: false,
    models: [
      vendorModel(
        'gemini-3.8-flash',
        'Gemini 3.8 Flash',
        [1_000_000, 65_536],
        textAndImage,
        reasoningFeatures,
        threeEfforts,
      ),
      vendorModel(
        'gemini-3.1-flash-lite',
        'Gemini 3.1 Flash-Lite',
        [1_000_000, 65_536],
        textAndImage,
        reasoningFeatures,
        threeEfforts,
      ),
      vendorModel(
        'gemini-3.1-pro-preview',
        'Gemini 3.1 Pro',
        [1_048_576, 65_536],
        textAndImage,
        reasoningFeatures,
        threeEfforts,
      ),
    ],
  },
  {
    id: 'deepseek',
    baseUrl: 'https://api.deepseek.com/v1',
    onDisconnect: 'cancel',
    models: [
      vendorModel('deepseek-v4-flash', 'DeepSeek V4 Flash', [1_000_000, 65_536], ['text'], ['tools']),
      vendorModel('deepseek-v4-pro', 'DeepSeek V4 Pro', [1_000_000, 65_536], ['text'], ['tools']),
    ],
  },
  {
    id: 'groq',
    baseUrl: 'https://api.groq.com/openai/v1',
    onDisconnect: 'cancel',
    models: [
      vendorModel('llama-3.1-8b-instant', 'Llama 3.1 8B', [131_072, 8_192], ['text'], ['tools']),
      vendorModel('llama-3.3-70b-versatile', 'Llama 3.3 70B', [131_072, 32_768], ['text'], ['tools']),
      vendorModel(
        'openai/gpt-oss-120b',
        'GPT-OSS 120B',
        [131_072, 65_536],
        ['text'],
        reasoningFeatures,
        threeEfforts,
      ),
    ],
  },
  {
    id: 'mistral',
    baseUrl: 'https://api.mistral.ai/v1',
    onDisconnect: 'cancel',
    models: [
      vendorModel('mistral-small-2603', 'Mistral Small', [262_144, 32_768], textAndImage, toolFeatures),
      vendorModel('mistral-large-2512', 'Mistral Large 3', [262_144, 32_768], textAndImage, toolFeatures),
      vendorModel('codestral-2508', 'Codestral', [256_000, 32_768], ['text'], toolFeatures),
    ],
  },
]

/** The day on which the lists above were read, used as `created` of every ready-made model, in Unix seconds. */
const listedAt = Date.UTC(2026, 10, 20) / 1_000

/** Providers and models for the vendor keys found. A model whose price the data package does not know is left out. */
export function readyMade(keys: VendorKeys): { providers: ProviderConfig[]; models: AnyModel[] } {
  const media = readyMadeMedia(keys)
  const found = vendors.flatMap((vendor) => {
    const apiKey = keys[vendor.id]
    return apiKey === undefined ? [] : [{ vendor, apiKey }]
  })
  return {
    providers: [
      ...found.map(({ vendor, apiKey }) => ({
        id: vendor.id,
        baseUrl: vendor.baseUrl,
        apiKey,
        dialects: [...wiresOf(vendor), ...(mediaDialects[vendor.id] ?? [])],
        timeouts: defaultTimeouts,
        onDisconnect: vendor.onDisconnect,
        headers: {},
        ...(vendor.takesLinks !== undefined && { takesLinks: vendor.takesLinks }),
        ...(vendor.takesReasoningBudget && { takesReasoningBudget: true }),
      })),
      ...media.providers,
    ],
    models: [
      ...found.flatMap(({ vendor }) => vendor.models.flatMap((entry) => modelOf(vendor, entry))),
      ...media.models,
    ],
  }
}

const wiresOf = ({ wires = ['chat'] }: Vendor): Wire[] => wires

/** Where a vendor charges long prompts more, the window ends at the step, so that one price stays exact; an entry in the file may widen it. */
function modelOf(vendor: Vendor, entry: VendorModel): Model[] {
  const known = knownPrice(vendor.baseUrl, entry.model)
  if (!known) return []
  const contextLength = Math.min(entry.contextLength, known.steadyUpTo ?? entry.contextLength)
  return [
    {
      id: `${vendor.id}/${entry.model}`,
      kind: 'text',
      displayName: entry.displayName,
      description: `${entry.displayName} by way of ${knownVendors[vendor.id].name}.`,
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
