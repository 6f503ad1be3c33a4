import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { dereferenced, type Operation, operationsOf } from './document.ts'
import { normalise } from './normalise.ts'
import { Recorder } from './recorder.ts'
import { askGroups, groupsOf, type RouteGroup } from './requests.ts'
import { rowsOf } from './rows.ts'
import { openSite, type Site } from './site.ts'

export interface Recording {
  answers: Recorder['answers']
  upstream: unknown[]
  webhooks: unknown[]
  rows: Record<string, string[]>
  metrics: string[]
  errors: string[]
  openapi: unknown
}

/** All answers of a server of the checkout. Throws if a route of its OpenAPI document was not requested. */
export async function record(root: string): Promise<Recording> {
  await using site = await openSite(root)
  const { recorder, document } = await askSite(site)
  const missing = recorder.missing()
  if (missing.length > 0) throw new Error(missing.join('\n'))
  const metrics = await (await fetch(`${site.url}/metrics`)).text()
  return {
    answers: recorder.answers,
    upstream: site.upstream.asked,
    webhooks: site.receiver.got,
    rows: await rowsOf(site.db),
    metrics: described(metrics),
    errors: await errorsOf(root),
    openapi: dereferenced(document),
  }
}

/** Asks a site every question about the routes of these groups, by its own document, with a recorder of this class. */
export async function askSite<R extends Recorder = Recorder>(
  site: Site,
  groups?: readonly RouteGroup[],
  recorderOf = (operations: readonly Operation[]) => new Recorder(site.url, site.secret, operations) as R,
): Promise<{ recorder: R; document: Record<string, unknown> }> {
  const document = (await (await fetch(`${site.url}/openapi.json`)).json()) as Record<string, unknown>
  const operations = operationsOf(document).filter(
    ({ path }) => groups === undefined || groupsOf(path).some((group) => groups.includes(group)),
  )
  const recorder = recorderOf(operations)
  await askGroups(recorder, site, groups)
  return { recorder, document }
}

/** The lines of the pages of errors; an older checkout has both languages on one page. */
async function errorsOf(root: string): Promise<string[]> {
  const pages = ['docs/errors.md', 'docs/errors.fa.md']
    .map((page) => path.join(root, page))
    .filter((page) => existsSync(page))
  const texts = await Promise.all(pages.map((page) => readFile(page, 'utf8')))
  return texts.flatMap((text) => text.split('\n'))
}

/** Names, meanings, kinds and labels; what they measured differs each time. */
function described(metrics: string): string[] {
  const series = metrics
    .split('\n')
    .filter((line) => line !== '')
    .map((line) =>
      line.startsWith('#') ? line : normalise(line.replace(/ [^ ]+$/, '').replace(/="[^"]*"/g, '')),
    )
  return [...new Set(series)].sort()
}
