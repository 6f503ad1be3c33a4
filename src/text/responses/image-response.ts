/** One picture in the format of the responses wire: its item, and the response around it with every key that clients require. */
import { costOf } from '#core/calls'
import { encodeBase64 } from '#core/media'
import { sizeName } from '#core/models'
import type { PaidPictures } from '#media/images'
import { commonFields } from './common-fields.ts'
import type { ImageBody } from './image-schema.ts'
import type { ResponseJson } from './item.ts'

/** What the answer needs to know of its request. */
export interface ImageResponseSpec {
  body: ImageBody
  /** The request's id in 32 hexadecimal digits, from which all ids of the answer are derived. */
  hex: string
  /** Unix seconds. */
  createdAt: number
  /** The id of the model that draws. */
  model(): string
  /** The settings sent to the upstream; `size` is that of the result, or the ordered one if the upstream decides it. */
  settings(): { action: string; output_format: string; quality: string; background: string; size: string }
  /** Unix seconds. */
  now(): number
}

export type ImageOutcome =
  | { status: 'in_progress' }
  | { status: 'completed'; item: ResponseJson; usage: ResponseJson }
  | { status: 'failed'; item: ResponseJson; error: { code: string; message: string } }

export const itemOf = (spec: ImageResponseSpec, status: string, more: ResponseJson = {}): ResponseJson => ({
  type: 'image_generation_call',
  id: `ig_${spec.hex}`,
  status,
  result: null,
  ...spec.settings(),
  ...more,
})

/** `encode` makes the Base64 text of the picture, at once or while it is sent. */
export function drawnItem(
  spec: ImageResponseSpec,
  { pictures }: PaidPictures,
  encode: (bytes: Uint8Array) => unknown = encodeBase64,
): ResponseJson {
  const { bytes, width, height } = pictures[0]!
  return itemOf(spec, 'completed', { result: encode(bytes), size: sizeName({ width, height }) })
}

/** Tokens as the upstream reports them, or 0 if it reports none; the price is that of the picture. */
export const imageUsage = ({ tokens: { input, output }, microcredits }: PaidPictures): ResponseJson => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: input + output,
  ...costOf(microcredits),
})

export function imageResponse(spec: ImageResponseSpec, outcome: ImageOutcome): ResponseJson {
  const { body } = spec
  const completed = outcome.status === 'completed'
  return {
    id: `resp_${spec.hex}`,
    object: 'response',
    created_at: spec.createdAt,
    completed_at: completed ? spec.now() : null,
    status: outcome.status,
    error: outcome.status === 'failed' ? outcome.error : null,
    incomplete_details: null,
    model: spec.model(),
    output: outcome.status === 'in_progress' ? [] : [outcome.item],
    output_text: '',
    reasoning: null,
    usage: completed ? outcome.usage : null,
    instructions: body.instructions ?? null,
    max_output_tokens: null,
    max_tool_calls: null,
    parallel_tool_calls: true,
    previous_response_id: null,
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
    text: { format: { type: 'text' } },
    temperature: 1,
    top_p: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    ...commonFields(body),
  }
}
