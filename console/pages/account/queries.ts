import type { QueryClient } from '@tanstack/react-query'
import { type AccountOf, accountQuery } from '../../api/account.ts'
import { call, type Reply } from '../../api/client.ts'
export type Account = AccountOf
export type Project = Reply<'GET /v1/projects'>['data'][number]

/** The projects of that account that the person may use. */
export const projectsQuery = (projectId: string | undefined) =>
  ({
    queryKey: ['projects', projectId],
    queryFn: () => call('GET /v1/projects'),
    enabled: projectId !== undefined,
  }) as const

/** Shows the account as a change has left it, also in what other pages say of it. */
export function noteAccount(queries: QueryClient, projectId: string | undefined, account: Account): void {
  queries.setQueryData(accountQuery(projectId).queryKey, account)
  void queries.invalidateQueries({ queryKey: ['balance'] })
  void queries.invalidateQueries({ queryKey: ['accounts'] })
}

/** Reads the projects anew after a change of one, and the names of them that the shell shows. */
export async function noteProjects(queries: QueryClient, projectId: string | undefined): Promise<void> {
  void queries.invalidateQueries({ queryKey: ['balance'] })
  void queries.invalidateQueries({ queryKey: ['accounts'] })
  await queries.invalidateQueries({ queryKey: projectsQuery(projectId).queryKey })
}
