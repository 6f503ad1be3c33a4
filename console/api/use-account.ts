import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import type { Reply } from './client.ts'
import { project, subscribeProject } from './project.ts'
import { accountsQuery } from './queries.ts'

export type Account = Reply<'GET /v1/me/accounts'>['data'][number]

interface Place {
  /** The project of the pages; undefined while it is not known. */
  projectId: string | undefined
  /** The account that has it, with the role and the rights of the person there. */
  account: Account | undefined
  /** Whether the role of the person has a right, such as `keys:write`. */
  may(right: string): boolean
}

/** Where the person is: the chosen project, its account, and what the role may do there. */
export function useAccount(): Place {
  const projectId = useSyncExternalStore(subscribeProject, project)
  const accounts = useQuery(accountsQuery)
  const account = accounts.data?.data.find(({ projects }) => projects.some(({ id }) => id === projectId))
  // An account that is being deleted can only be read.
  const isOpen = (right: string): boolean => account?.state !== 'closing' || right.endsWith(':read')
  return {
    projectId,
    account,
    may: (right) => account?.rights.includes(right) === true && isOpen(right),
  }
}
