/** The request body of the images endpoints. Only fields that the model is known to accept are sent: many servers refuse unknown fields. */
import { sizeName } from '#core/models'
import type { ImageCall } from '#core/spec'
import { Form } from '#providers/kit'

export const jsonOf = (call: ImageCall): Record<string, unknown> => fieldsOf(call)

/** The form of an order: `image` for one picture and `image[]` for several, as OpenAI's own clients write it and its edits endpoint wants it. */
export function formOf(call: ImageCall): Form {
  const form = new Form()
  for (const [name, value] of Object.entries(fieldsOf(call))) form.add(name, String(value))
  const { references, mask } = call.order
  for (const [index, { data, mediaType = 'image/png' }] of references.entries()) {
    if (!data) continue
    form.add(references.length > 1 ? 'image[]' : 'image', {
      name: `reference-${index + 1}.${mediaType.slice('image/'.length)}`,
      mediaType,
      bytes: data,
    })
  }
  if (mask?.data) form.add('mask', { name: 'mask.png', mediaType: 'image/png', bytes: mask.data })
  return form
}

function fieldsOf({ order, upstreamModel }: ImageCall): Record<string, string | number | boolean> {
  return {
    model: upstreamModel,
    prompt: order.prompt,
    n: order.count,
    size: sizeName(order.size),
    ...(order.quality && { quality: order.quality }),
    ...(order.format && { output_format: order.format }),
    ...(order.background && { background: order.background }),
    ...(order.responseFormat && { response_format: order.responseFormat }),
    ...(order.seed !== undefined && { seed: order.seed }),
    ...(order.partials && { stream: true, partial_images: order.partials }),
    ...order.options,
  }
}
