import path from 'node:path'
import { isTooLarge, measureImage, sniff } from '#core/media'
import { decodeBase64InSlices } from '#platform/bytes'
import { type ConfinedRunner, type FindIsolation, openConfinement } from '#platform/confined'
import type { Log } from '#platform/log'
import { type Chart, checkChart, type DrawnChart } from './chart/chart.ts'
import type { Images, PlacedImage, TextDocument } from './model.ts'
import { checkWorkbook, type Workbook } from './workbook/workbook.ts'

/**
 * File renderers. Each file is made in a confined process with bounds on time and memory, off the event loop. All throw `RenderFailed` if the process
 * is lost, a RangeError for more content than a file of its kind may have, and the signal's reason. The same input gives the same bytes.
 */
export interface Documents {
  toPdf(document: TextDocument, context?: RenderContext): Promise<Buffer>
  toDocx(document: TextDocument, context?: RenderContext): Promise<Buffer>
  toWorkbook(workbook: Workbook, context?: Omit<RenderContext, 'images'>): Promise<Buffer>
  drawChart(chart: Chart, context?: Omit<RenderContext, 'images'>): Promise<DrawnChart>
}

export interface RenderContext {
  /** The account of the file; processes are scheduled fairly between accounts. Default: the platform itself. */
  accountId?: string
  /** Images by the path that the document names. For anything but PNG or JPEG the alternative text is shown. */
  images?: Images
  signal?: AbortSignal
}

/** `busy`: too many files wait; `time` and `output`: a bound was exceeded; `broken`: the process died or refused. */
export type RenderFault = 'busy' | 'time' | 'output' | 'broken'

export class RenderFailed extends Error {
  readonly fault: RenderFault
  constructor(fault: RenderFault) {
    super(`The file could not be made: ${fault}.`)
    this.fault = fault
  }
}

export type RenderWork = { dateMs: number } & (
  | { kind: 'pdf' | 'docx'; document: TextDocument; images: Record<string, PlacedImage> }
  | { kind: 'workbook'; workbook: Workbook }
  | { kind: 'chart'; chart: Chart }
)

/** Files that are made at a time, and files that may wait: each takes a core. */
const processLimits = { working: 2, waiting: 64 }
const timeoutMs = 60_000
const maxOutputBytes = 96 * 1024 * 1024
/** Date of files for which none is given. */
const defaultDateMs = Date.UTC(2026, 0, 1)

export function openDocuments(log: Log, isolation?: FindIsolation): Documents {
  const confine = openConfinement(log, processLimits, isolation)
  const file = async (work: RenderWork, context: RenderContext) =>
    (await render(confine, work, context))['file']!
  return {
    toPdf: (document, context = {}) => file(textWork('pdf', document, context), context),
    toDocx: (document, context = {}) => file(textWork('docx', document, context), context),
    async toWorkbook(workbook, context = {}) {
      checkWorkbook(workbook)
      return file({ kind: 'workbook', workbook, dateMs: workbook.dateMs ?? defaultDateMs }, context)
    },
    async drawChart(chart, context = {}) {
      checkChart(chart)
      const { svg, png } = await render(confine, { kind: 'chart', chart, dateMs: defaultDateMs }, context)
      return { svg: svg!.toString('utf8'), png: png! }
    },
  }
}

const textWork = (
  kind: 'pdf' | 'docx',
  document: TextDocument,
  { images = {} }: RenderContext,
): RenderWork => ({
  kind,
  document,
  images: placeableImages(images),
  dateMs: document.dateMs ?? defaultDateMs,
})

async function render(
  confine: ConfinedRunner,
  work: RenderWork,
  { accountId = '', signal = new AbortController().signal }: RenderContext,
): Promise<Record<string, Buffer>> {
  const outcome = await confine({
    module: path.join(import.meta.dirname, 'render-process.ts'),
    accountId,
    input: work,
    timeoutMs,
    maxOutputBytes: maxOutputBytes,
    nativeCode: true,
    signal,
  })
  if ('lost' in outcome) throw new RenderFailed(outcome.lost)
  const files: Record<string, Buffer> = {}
  for (const [name, data] of Object.entries(outcome.value as Record<string, string>)) {
    const bytes = await decodeBase64InSlices(data)
    if (!bytes) throw new RenderFailed('broken')
    files[name] = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }
  return files
}

/** Images that can be placed, with their sizes; those that would decode to too many pixels are dropped. */
function placeableImages(images: Images): Record<string, PlacedImage> {
  const found: Record<string, PlacedImage> = {}
  for (const [name, bytes] of Object.entries(images)) {
    const type = { 'image/png': 'png', 'image/jpeg': 'jpg' }[sniff(bytes) ?? ''] as
      | PlacedImage['type']
      | undefined
    const size = type && measureImage(bytes)
    if (type && size && !isTooLarge(size)) found[name] = { bytes, type, ...size }
  }
  return found
}
