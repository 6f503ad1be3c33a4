import type { CitableSource } from '#core/turn'
import { addressesIn, securedAddress } from '../addresses.ts'
import type { BudgetedSteps } from '../budgeted-steps.ts'
import { singleLine } from '../cut.ts'
import type { StepContext } from '../pipelines.ts'
import type { ResearchStep } from './budget.ts'
import { limits, limitsOfDepth } from './budget.ts'
import { folded, numbersOf } from './evidence.ts'
import type { Inquiry } from './inquiry.ts'
import { researchPhrases as words } from './phrases.ts'

/** A page that was read, or a passage of the caller's knowledge project. Its number is its position in the list, from 1. */
export interface ReadSource extends CitableSource {
  kind: 'web' | 'knowledge'
  /** Normalised text in which quotations are searched. */
  folded: string
  numbers: Set<string>
}

const leastCharacters = 200
const maxOfOneHost = 3

/** Runs every search and reads the results, the best of each search first, until there are enough sources. */
export async function gather(
  context: StepContext,
  steps: BudgetedSteps<ResearchStep>,
  inquiry: Inquiry,
): Promise<ReadSource[]> {
  const found = await searchAll(context, steps, inquiry)
  const known = await recallAll(context, inquiry)
  const read = await readBest(context, steps, addressesIn(context.task.input), interleaved(found))
  return [...read, ...known].slice(0, limitsOfDepth(context.task).sources)
}

async function searchAll(
  context: StepContext,
  steps: BudgetedSteps<ResearchStep>,
  { queries }: Inquiry,
): Promise<(readonly CitableSource[])[]> {
  const found: (readonly CitableSource[])[] = []
  for (const [index, query] of queries.entries()) {
    await context.progress(5 + Math.floor((10 * index) / queries.length), words.searching(query))
    found.push(await steps.search(`search/${index + 1}`, query))
  }
  return found
}

/** Searches the knowledge project by the questions and by the text of the task, whose author may use the words of the documents. */
async function recallAll(context: StepContext, { questions }: Inquiry): Promise<ReadSource[]> {
  const known = new Map<string, CitableSource>()
  const add = async (step: string, query: string) => {
    for (const source of (await context.recall(step, query)).slice(0, 2))
      known.set(`${source.url}\n${source.text}`, source)
  }
  for (const [index, question] of questions.entries()) await add(`recall/${index + 1}`, question)
  await add('recall/task', singleLine(context.task.input, 400))
  return [...known.values()]
    .slice(0, limitsOfDepth(context.task).known)
    .map((source) => readOf(source, 'knowledge'))
}

/** Reads pages, those that the task names first. A named page that cannot be read becomes a gap, so that the caller learns the reason. */
async function readBest(
  context: StepContext,
  steps: BudgetedSteps<ResearchStep>,
  named: readonly string[],
  found: readonly string[],
): Promise<ReadSource[]> {
  const limits = limitsOfDepth(context.task)
  const read = new Map<string, ReadSource>()
  const tried = new Set<string>()
  const hosts = new Map<string, number>()
  for (const [index, address] of [...named, ...found].entries()) {
    const url = URL.parse(address)
    const host = url?.hostname ?? ''
    if (
      !url ||
      tried.has(plainAddress(url)) ||
      (index >= named.length && (hosts.get(host) ?? 0) >= maxOfOneHost)
    )
      continue
    if (read.size === limits.pages || tried.size === limits.reads) break
    tried.add(plainAddress(url))
    await context.progress(15 + Math.floor((15 * tried.size) / limits.reads), words.reading(host))
    const source = await steps.read(`read/${tried.size}`, securedAddress(address))
    if (!source || source.text.trim().length < leastCharacters) {
      if (index < named.length)
        steps.gaps.push({ what: { fa: address, en: address }, reason: whyUnread(address) })
      continue
    }
    hosts.set(host, (hosts.get(host) ?? 0) + 1)
    const page = readOf(source, 'web')
    // The same text at several addresses is one source.
    if (![...read.values()].some(({ folded: other }) => other === page.folded)) read.set(source.url, page)
  }
  for (const address of named)
    if (URL.canParse(address) && !tried.has(plainAddress(new URL(address))))
      steps.gaps.push({ what: { fa: address, en: address }, reason: words.tooMany })
  return [...read.values()]
}

const whyUnread = (address: string) => (address.startsWith('http:') ? words.plainHttp : words.unread)

function readOf(source: CitableSource, kind: ReadSource['kind']): ReadSource {
  const text = source.text.slice(0, limits.sourceCharacters).toWellFormed()
  return {
    ...source,
    title: singleLine(source.title, 200) || singleLine(source.url, 200),
    text,
    kind,
    folded: folded(text),
    numbers: numbersOf(text),
  }
}

/** Interleaves lists: the first item of each, then the second of each. */
function interleaved(lists: readonly (readonly CitableSource[])[]): string[] {
  const maxLength = Math.max(0, ...lists.map(({ length }) => length))
  return Array.from({ length: maxLength }, (_, place) =>
    lists.flatMap((list) => list[place]?.url ?? []),
  ).flat()
}

const plainAddress = ({ host, pathname, search }: URL): string =>
  `${host.replace(/^www\./, '')}${pathname.replace(/(?<!\/)\/+$/, '')}${search.replace(/[?&](?:utm_\w+|fbclid|gclid)=[^&]*/g, '')}`
