/** Finds passages by their words and, if they have vectors and the embedding of the query is paid for, also by meaning. */
import { payment } from '#core/calls'
import { allPhrasesQuery, anyTermQuery, bm25Scores, type Query, readQuery } from '#core/retrieval'
import type { Caller } from '#platform/auth'
import { errorBody } from '#platform/errors'
import type { KnowledgeApp } from '../app.ts'
import { projectTermOf } from '../mark.ts'
import { type KnowledgeContext, projectKeyOf, requireProject } from '../projects.ts'
import type { FoundPassage, FoundPassageList, SearchBody } from '../schema.ts'
import type { ProjectKey } from '../store.ts'
import { findByMeaning, type MeaningMatch, type Payment } from './by-meaning.ts'
import { fuse, type ScoredPassage } from './fuse.ts'
import * as store from './store.ts'

const defaultLimit = 5
const maxQueryLength = 4_000
/** The most passages that are ranked. Words that occur in more passages are ignored if the query has rarer ones. */
const maxCandidates = 1_000
const countedUpTo = 10_000

export async function search(context: KnowledgeContext<SearchBody>): Promise<FoundPassageList> {
  const { app, body, requestId, language } = context
  const projectKey = projectKeyOf(context)
  await requireProject(app, projectKey)
  const payer = mayPay(context.caller) ? { ...payment(context), endpoint: '/v1/knowledge/search' } : undefined
  const { data, meaning } = await findPassages(app, projectKey, body.query, body.limit ?? defaultLimit, payer)
  const error = meaning.failure && errorBody(meaning.failure, requestId, language).error
  return {
    data,
    by: meaning.used ? ['words', 'vectors'] : ['words'],
    problem: error ? { code: error.code, message: error.message } : null,
  }
}

/** A key that may read may pay; of people those whose role asks models. Those who only look at the project search by words. */
const mayPay = ({ kind, scopes }: Caller): boolean => kind !== 'session' || scopes.has('responses:write')

/**
 * The best passages first. Quoted phrases are searched as phrases, and as single words if no passage has them. Without a
 * payer, or if the query cannot be embedded, words alone decide.
 */
export async function findPassages(
  app: Pick<KnowledgeApp, 'db' | 'models' | 'paid'>,
  projectKey: ProjectKey,
  text: string,
  limit: number,
  payer?: Payment,
): Promise<{ data: FoundPassage[]; meaning: MeaningMatch }> {
  const question = text.slice(0, maxQueryLength)
  const query = readQuery(question)
  if (query.groups.length === 0) return { data: [], meaning: { used: false, near: [] } }
  const [ranked, near] = await Promise.all([
    rank(app, projectKey, query),
    findByMeaning(app, projectKey, question, payer),
  ])
  const best = (near.used ? fuse(ranked, near.near) : ranked).slice(0, limit)
  return { data: await toFound(app, projectKey, best), meaning: near }
}

async function toFound(
  app: Pick<KnowledgeApp, 'db'>,
  projectKey: ProjectKey,
  best: readonly ScoredPassage[],
): Promise<FoundPassage[]> {
  const rows = await store.readPassages(app.db, projectKey, best)
  const byPlace = new Map(rows.map((row) => [`${row.source_id}/${row.position}`, row]))
  return best.flatMap(({ source_id: id, position, score }) => {
    const row = byPlace.get(`${id}/${position}`)
    // The source was deleted meanwhile.
    if (!row) return []
    const { title, url, heading, text: passage } = row
    return [
      { source: { id, title, url }, position, heading, text: passage, score: Math.round(score * 1e4) / 1e4 },
    ]
  })
}

async function rank(
  { db }: Pick<KnowledgeApp, 'db'>,
  projectKey: ProjectKey,
  query: Query,
): Promise<(store.FoundRow & { score: number })[]> {
  const projectTerm = projectTermOf(projectKey.knowledgeId)
  const { groups } = query
  const queries = groups.map((terms) => anyTermQuery(terms, projectTerm))
  const [size, found] = await Promise.all([
    store.sizeOf(db, projectKey),
    store.countMatches(db, projectKey, queries, countedUpTo),
  ])
  const terms = groups.flat()
  const chosen = rarestGroups(groups, found).flat()
  if (chosen.length === 0) return []
  const options = {
    ranked: withoutProjectTerm(anyTermQuery(chosen, projectTerm)),
    terms,
    limit: maxCandidates,
  }
  const phrased =
    query.phrases.length > 0
      ? await store.findPassages(db, projectKey, { ...options, query: allPhrasesQuery(query, projectTerm) })
      : []
  const candidates =
    phrased.length > 0
      ? phrased
      : await store.findPassages(db, projectKey, { ...options, query: anyTermQuery(chosen, projectTerm) })
  const corpus = { passages: size.passages, meanWords: size.words / Math.max(1, size.passages), found }
  const scored = bm25Scores(candidates, groups, corpus)
  return candidates
    .map((candidate, at) => ({ ...candidate, score: scored[at]! }))
    .sort((a, b) => b.score - a.score || a.position - b.position)
}

/** The rarest term groups first, as many as match at most `maxCandidates` passages in all; at least one. */
function rarestGroups(groups: readonly string[][], found: readonly number[]): string[][] {
  const rarest = groups
    .map((terms, at) => ({ terms, count: found[at] ?? 0 }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => a.count - b.count)
  let sum = 0
  return rarest
    .filter(({ count }, at) => {
      sum += count
      return at === 0 || sum <= maxCandidates
    })
    .map(({ terms }) => terms)
}

/** Ranking leaves the project mark out: it has no position, and would make every rank 0. */
const withoutProjectTerm = (query: string): string => query.slice(query.indexOf('&') + 1).trim()
