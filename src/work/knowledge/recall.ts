/** The interface for other rooms whose models use a knowledge project. */
import type { CitableSource } from '#core/turn'
import type { KnowledgeApp } from './app.ts'
import { requireProject } from './projects.ts'
import type { Payment } from './search/by-meaning.ts'
import { findPassages } from './search/search.ts'
import type { ProjectKey } from './store.ts'

const defaultLimit = 8

/** The knowledge project that a body names by `knowledge_id`. Throws KNOWLEDGE_NOT_FOUND (404). */
export async function requireKnowledge(
  app: Pick<KnowledgeApp, 'db'>,
  projectKey: ProjectKey,
): Promise<{ knowledgeId: string; name: string; instructions: string | null }> {
  const {
    knowledge_id: knowledgeId,
    name,
    instructions,
  } = await requireProject(app, projectKey, 'knowledge_id')
  return { knowledgeId, name, instructions }
}

/**
 * Passages that answer the query, the best first; none if the project was deleted. A source without a URL gets a URN
 * (`urn:uuid:<source>#<position>`), so that citations can tell passages apart. With a payer, passages are also found by meaning, under a separate
 * receipt; if that cannot be paid, words alone decide.
 */
export async function recall(
  app: Pick<KnowledgeApp, 'db' | 'models' | 'paid'>,
  projectKey: ProjectKey,
  query: string,
  limit: number = defaultLimit,
  payer?: Payment,
): Promise<readonly CitableSource[]> {
  const { data } = await findPassages(app, projectKey, query, limit, payer)
  return data.map(({ source, position, heading, text }) => ({
    url: source.url ?? `urn:uuid:${source.id}#${position}`,
    title: [source.title, heading].filter((part) => part !== null).join(' › '),
    text,
  }))
}
