import { type Drawn, type ImageCall, type ImageProvider, UpstreamError } from '#providers/spec'
import { readDirectives } from '../directives.ts'
import { raise } from '../faults.ts'
import { Pacer, realClock } from '../pace.ts'
import { loadTokenizer } from '../tokens.ts'
import { draw } from './draw.ts'

/**
 * Draws every prompt as a poster of its own words, in exactly the requested size and format; input images become the backdrop. The
 * directives for faults and pace are those of the text models (`directives.ts`); `first_token_ms` is the drawing time.
 */
export function sandboxImages(): ImageProvider {
  return { draw: (call) => drawAll(call) }
}

async function drawAll(call: ImageCall): Promise<Drawn> {
  const { order, upstreamModel, signal } = call
  if (signal.aborted) throw new UpstreamError('aborted', { executed: false })
  if (!/^(sandbox\/)?image(:|$)/.test(upstreamModel)) {
    const detail = `The sandbox has no image model "${upstreamModel}".`
    throw new UpstreamError('not_found', { status: 404, executed: false, param: 'model', detail })
  }
  const { text: prompt, directives } = readDirectives(order.prompt)
  const patience = { ...call.timeouts, firstTokenMs: call.timeouts.totalMs }
  const pacer = new Pacer(directives, patience, { signal, clock: realClock, run: { paused: undefined } })
  const strikes = directives.on === undefined || directives.on === upstreamModel
  if (directives.fault && strikes) await raise(directives.fault, directives, pacer)
  await pacer.next()
  const { size, quality, background, format = 'png' } = order
  const references = order.references.flatMap(({ data }) => (data ? [data] : []))
  const posters = Array.from({ length: order.count }, (_, index) =>
    draw({ prompt, size, quality, background, format, references, index }),
  )
  try {
    const images = await Promise.all(posters)
    pacer.check()
    const { count } = await loadTokenizer()
    return { images, usage: { input: count(prompt), output: 0 } }
  } catch (cause) {
    if (signal.aborted) throw new UpstreamError('aborted', { cause })
    const detail = 'The sandbox cannot draw with what it was given.'
    throw new UpstreamError('invalid_request', { status: 400, executed: false, detail, cause })
  }
}
