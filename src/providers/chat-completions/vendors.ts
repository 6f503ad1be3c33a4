/** What the vendors of this wire take of the conversation so far, as their documents and their refusals say. */

export interface ChatVendor {
  host: string
  /** The vendor answers an unknown field with 400. */
  isStrict: boolean
  /** Each message of the model has to bring `reasoning_content` back, even where the model did not think. */
  needsReasoning: boolean
  /** What becomes of the signatures that Gemini sets on calls of tools: `needed` on the first call of each message, taken, or refused. */
  callSignatures: 'needed' | 'taken' | 'refused'
}

/** Whether the vendor answers an unknown field with 400. */
export const isStrictHost = (host: string): boolean => strictHosts.includes(host)

const strictHosts: readonly string[] = [
  'api.openai.com',
  'api.groq.com',
  'api.cerebras.ai',
  'api.mistral.ai',
  'generativelanguage.googleapis.com',
]

/**
 * Vendors that refuse a conversation without its reasoning while the model thinks, which their newest models always do: DeepSeek
 * (api-docs.deepseek.com/guides/thinking_mode), Kimi (platform.kimi.ai), GLM (docs.z.ai/guides/capabilities/thinking-mode) and MiMo
 * (platform.xiaomimimo.com). Other hosts of their models pass the rule on, or ignore the field.
 */
const reasoningVendors: readonly { host: RegExp; model: RegExp }[] = [
  { host: /(^|\.)deepseek\.com$/, model: /(^|[/:])deepseek/i },
  { host: /(^|\.)(moonshot\.(ai|cn)|kimi\.(ai|com))$/, model: /(^|[/:])kimi/i },
  { host: /(^|\.)(z\.ai|bigmodel\.cn)$/, model: /(^|[/:])glm-/i },
  { host: /(^|\.)xiaomimimo\.com$/, model: /(^|[/:])mimo-/i },
]

export const openRouter = 'openrouter.ai'
const google = /(^|\.|-)(generativelanguage|aiplatform)\.googleapis\.com$/
const gemini = /(^|[/:])gemini/i
/** Gemini 3 and later, which refuse a call without its signature; names without a number are those of the newest. */
const signingGemini = /(^|[/:])gemini-(?!(?:1|2)(?:\.|-|$))/i
/** Models of others, wherever they are offered. What a model of an unknown name takes is not known: it may stand for one of Gemini. */
const others = /(^|[/:])(gpt-|o[1-9](-|$)|claude|grok|llama|minimax|mistral|qwen)/i

/** The vendor by its address, or by its model where another server offers it. */
export function vendorOf(host: string, upstreamModel: string): ChatVendor {
  const isStrict = isStrictHost(host)
  const needsReasoning =
    !isStrict && reasoningVendors.some((one) => one.host.test(host) || one.model.test(upstreamModel))
  const isOther = isStrict || needsReasoning || host === openRouter || others.test(upstreamModel)
  const ofOthers = isOther ? 'refused' : 'taken'
  const ofGemini = signingGemini.test(upstreamModel) ? 'needed' : 'taken'
  return {
    host,
    isStrict,
    needsReasoning,
    callSignatures: isGemini(host, upstreamModel) ? ofGemini : ofOthers,
  }
}

/** OpenRouter keeps the signatures of Gemini in its `reasoning_details`. */
const isGemini = (host: string, model: string): boolean =>
  google.test(host) || (gemini.test(model) && host !== openRouter)
