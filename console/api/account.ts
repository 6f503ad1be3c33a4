import { call, type Reply } from './client.ts'

export type AccountOf = Reply<'GET /v1/account'>

/** The account of a project: its money, its caps, and its time zone. */
export const accountQuery = (projectId: string | undefined) =>
  ({
    queryKey: ['account', projectId],
    queryFn: () => call('GET /v1/account'),
    enabled: projectId !== undefined,
  }) as const
