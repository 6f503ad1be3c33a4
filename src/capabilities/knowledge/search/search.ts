/** Finds passages by their words and, where they have vectors and somebody pays for that of the question, by meaning too. */
import type { App } from '#app'
import { payment } from '#capabilities/calls'
import { allPhrases, anyOf, type Query, readQuery, scores } from '#engine/retrieval'
import { errorBody } from '#platform/errors'
import { markOf } from '../mark.ts'
import { type KnowledgeOptions, placeOf, requireProject } from '../projects.ts'
import type { Found, FoundList, SearchBody } from '../schema.ts'
import type { Place } from '../store.ts'
import { type FoundAt, fuse } from './fuse.ts'
import { type Meant, meant, type Payment } from './meant.ts'
import * as store from './store.ts'

const defaultLimit = 5
const longestQuery = 4_000
/** What is ranked; words that stand in more passages than that decide nothing where rarer ones are asked for too. */
const maxCandidates = 1_000
const countedUpTo = 10_000

export async function search(options: KnowledgeOptions<SearchBody>): Promise<FoundList> {
  const { app, body, requestId, language } = options
  const place = placeOf(options)
  await requireProject(app, place)
  const payer = { ...payment(options), endpoint: '/v1/knowledge/search' }
  const { data, meant } = await findPassages(app, place, body.query, body.limit ?? defaultLimit, payer)
  const trouble = meant.failure && errorBody(meant.failure, requestId, language).error
  return {
    data,
    by: meant.used ? ['words', 'vectors'] : ['words'],
    problem: trouble ? { code: trouble.code, message: trouble.message } : null,
  }
}

/**
 * The best passages first. What stands in quotation marks is looked for as it stands, and as its words where it is nowhere. Without a
 * payer, and where the question cannot be turned into a vector, words alone decide.
 */
export async function findPassages(
  app: App,
  place: Place,
  text: string,
  limit: number,
  payer?: Payment,
): Promise<{ data: Found[]; meant: Meant }> {
  const asked = text.slice(0, longestQuery)
  const query = readQuery(asked)
  if (query.groups.length === 0) return { data: [], meant: { used: false, near: [] } }
  const [ranked, near] = await Promise.all([rank(app, place, query), meant(app, place, asked, payer)])
  const best = (near.used ? fuse(ranked, near.near) : ranked).slice(0, limit)
  return { data: await shown(app, place, best), meant: near }
}

async function shown(app: App, place: Place, best: readonly FoundAt[]): Promise<Found[]> {
  const rows = await store.readPassages(app.db, place, best)
  const byPlace = new Map(rows.map((row) => [`${row.source_id}/${row.position}`, row]))
  return best.flatMap(({ source_id: id, position, score }) => {
    const row = byPlace.get(`${id}/${position}`)
    // Deleted meanwhile.
    if (!row) return []
    const { title, url, heading, text: passage } = row
    return [
      { source: { id, title, url }, position, heading, text: passage, score: Math.round(score * 1e4) / 1e4 },
    ]
  })
}

async function rank(
  { db }: App,
  place: Place,
  query: Query,
): Promise<(store.FoundRow & { score: number })[]> {
  const mark = markOf(place.knowledgeId)
  const { groups } = query
  const queries = groups.map((terms) => anyOf(terms, mark))
  const [size, found] = await Promise.all([
    store.sizeOf(db, place),
    store.countFound(db, place, queries, countedUpTo),
  ])
  const terms = groups.flat()
  const chosen = telling(groups, found).flat()
  if (chosen.length === 0) return []
  const ask = { ranked: withoutMark(anyOf(chosen, mark)), terms, limit: maxCandidates }
  const phrased =
    query.phrases.length > 0
      ? await store.findPassages(db, place, { ...ask, query: allPhrases(query, mark) })
      : []
  const candidates =
    phrased.length > 0 ? phrased : await store.findPassages(db, place, { ...ask, query: anyOf(chosen, mark) })
  const corpus = { passages: size.passages, meanWords: size.words / Math.max(1, size.passages), found }
  const scored = scores(candidates, groups, corpus)
  return candidates
    .map((candidate, at) => ({ ...candidate, score: scored[at]! }))
    .sort((a, b) => b.score - a.score || a.position - b.position)
}

/** The rarest words first, as many as find no more than can be ranked; one at least. */
function telling(groups: readonly string[][], found: readonly number[]): string[][] {
  const rarest = groups
    .map((terms, at) => ({ terms, many: found[at] ?? 0 }))
    .filter(({ many }) => many > 0)
    .sort((a, b) => a.many - b.many)
  let sum = 0
  return rarest
    .filter(({ many }, at) => {
      sum += many
      return at === 0 || sum <= maxCandidates
    })
    .map(({ terms }) => terms)
}

/** The mark has no place, and would make every rank nothing. */
const withoutMark = (query: string): string => query.slice(query.indexOf('&') + 1).trim()
