/** The sources of a run's tables: files that its caller stored, links in the request, and the request itself. */

import { addressesIn, securedAddress } from '../addresses.ts'
import type { BudgetedSteps } from '../budgeted-steps.ts'
import type { Localized } from '../phrases.ts'
import type { LocalFile, StepContext } from '../pipelines.ts'
import type { Sources } from './compute.ts'
import { sourcePhrases } from './phrases.ts'

/** Maximum bytes of one file, as for stored files (200 MB, docs/decisions/platform/files.md). */
const maxBytes = 200 * 1024 * 1024
export const maxLinks = 4

export interface OpenedSources extends Sources {
  /** Sources that could not be read, with the reasons. */
  unread: { what: Localized; why: Localized }[]
}

type ReadSteps = Pick<BudgetedSteps<string>, 'read' | 'fetch'>

/** Opens the files and links of the task; they are deleted with `opened`. */
export async function openSources(
  context: StepContext,
  steps: ReadSteps,
  opened: AsyncDisposableStack,
): Promise<OpenedSources> {
  const gathered: OpenedSources = { inputs: [], bytes: 0, isSame: true, unread: [] }
  const { files = [], input } = context.task
  for (const [index, file] of files.entries()) {
    const name = file.name ?? file.id
    const local = await context.open(file)
    if (local) await take(gathered, opened, name, local)
    else gathered.unread.push({ what: { fa: name, en: name }, why: sourcePhrases.deleted })
    // The set of readable files must be the same whenever the run resumes.
    await checkUnchanged(context, gathered, `source/${index + 1}`, local?.sha256 ?? '')
  }
  const links = addressesIn(input)
  for (const [index, url] of links.slice(0, maxLinks).entries())
    await openLink({ context, steps, opened, gathered, url, place: index + 1 })
  for (const url of links.slice(maxLinks))
    gathered.unread.push({ what: { fa: url, en: url }, why: sourcePhrases.tooMany })
  return gathered
}

interface LinkOptions {
  context: StepContext
  steps: ReadSteps
  opened: AsyncDisposableStack
  gathered: OpenedSources
  url: string
  place: number
}

async function openLink({ context, steps, opened, gathered, url, place }: LinkOptions): Promise<void> {
  const fetched = await steps.fetch(`link/${place}`, securedAddress(url), maxBytes)
  const what = { fa: url, en: url }
  if ('refused' in fetched) {
    const isPlain = url.startsWith('http:')
    gathered.unread.push({ what, why: isPlain ? sourcePhrases.plainHttp(fetched.refused) : fetched.refused })
    return
  }
  const { file, mediaType } = fetched
  if (!/html|pdf/.test(mediaType)) {
    await take(gathered, opened, nameOf(fetched.url), file)
    await checkUnchanged(context, gathered, `source/link-${place}`, file.sha256)
    return
  }
  await file[Symbol.asyncDispose]()
  const page = await steps.read(`read/${place}`, securedAddress(url))
  if (!page) gathered.unread.push({ what, why: sourcePhrases.unreadable })
  else {
    gathered.inputs.push({ name: page.title || nameOf(url), text: page.text })
    if (page.cut) gathered.unread.push({ what, why: sourcePhrases.pageCut })
  }
}

async function take(gathered: OpenedSources, opened: AsyncDisposableStack, name: string, file: LocalFile) {
  opened.use(file)
  gathered.inputs.push({ name, path: file.path })
  gathered.bytes += file.bytes
}

async function checkUnchanged(
  context: StepContext,
  gathered: OpenedSources,
  step: string,
  sha256: string,
): Promise<void> {
  const known = await context.once(step, async () => ({ sha256 }))
  if (known.sha256 !== sha256) gathered.isSame = false
}

/** The last part of the path of a URL, or its host. */
function nameOf(url: string): string {
  const { pathname, hostname } = new URL(url)
  const last = pathname.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(last) || hostname
  } catch {
    return last || hostname
  }
}
