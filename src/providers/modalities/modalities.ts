/**
 * Chat completions that answer with more than text: pictures, and spoken answers to recordings. They are requested by `modalities`: pictures as
 * OpenRouter (openrouter.ai/docs/guides/overview/multimodal/image-generation), LiteLLM (docs.litellm.ai/docs/completion/image_generation_chat) and
 * Vercel's gateway (vercel.com/docs/ai-gateway/openai-compat/image-generation) answer them, spoken answers as OpenAI's gpt-audio gives them.
 *
 * This is a dialect of its own, named beside `chat` or alone, because `chat` is the default of every provider and nearly none of its servers draws:
 * with `chat` among the dialects of pictures, an entry that forgot `images` would start, and the vendor would refuse its first paid order. Now the
 * start is refused, in a sentence that names what is missing. Pictures use it only where the provider has no other dialect that draws, since
 * `/images` takes a size, a quality and several pictures at once. Recordings are answered by it wherever it is named, texts by the first dialect of
 * speech, so one key of OpenAI serves both. Only `openrouter.ai` documents a field for the size and gets it (`image_config`). A spoken answer is
 * bounded by `max_completion_tokens` alone: the tokens of five minutes, which the hold covers. Pictures as Markdown in the text are not read: no
 * vendor documents them, and a link in a text may be any link. What would change our mind: drawing as a usual ability of `chat` servers, with a
 * documented way to discover it and a documented field for the size.
 */

import type { AudioProvider, TextProvider } from '#core/spec'
import type { GuardedClient } from '#platform/net'
import type { ImageClient, PictureAddress } from '#providers/images'
import { listModels, type UpstreamAddress, UpstreamClient } from '#providers/kit'
import { answer } from './answer.ts'
import { draw } from './draw.ts'

type PingableClient = AsyncDisposable & { ping: TextProvider['ping'] }

/** A client that draws pictures. Those behind links are fetched by `net`. */
export function chatImages(address: PictureAddress, net: GuardedClient): ImageClient {
  const client = new UpstreamClient(address)
  const web = { net, egress: address.egressOfLinks }
  return { maxCount: 1, draw: (call) => draw(client, web, call), ...pingableClientOf(client) }
}

export function chatAnswers(address: UpstreamAddress): AudioProvider & PingableClient {
  const client = new UpstreamClient(address)
  return { speak: (call) => answer(client, call), ...pingableClientOf(client) }
}

const pingableClientOf = (client: UpstreamClient): PingableClient => ({
  ping: (signal) => listModels(client, signal),
  [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
})
