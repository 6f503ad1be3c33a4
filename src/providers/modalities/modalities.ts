/**
 * Chat completions that answer with more than text: pictures, and spoken answers to recordings (docs/decisions/providers/modalities.md). They are
 * requested by `modalities`: pictures as OpenRouter, LiteLLM and Vercel's gateway answer them
 * (openrouter.ai/docs/guides/overview/multimodal/image-generation, docs.litellm.ai/docs/completion/image_generation_chat,
 * vercel.com/docs/ai-gateway/openai-compat/image-generation), and spoken answers as OpenAI's gpt-audio gives them.
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
