/** The management keys that end with a membership or with a role, by their names, before it ends. */
import { useQuery } from '@tanstack/react-query'
import { Fragment, type ReactNode } from 'react'
import type { MyAccount } from '../../api/queries.ts'
import { Notice, Skeleton } from '../../pieces/states.tsx'
import { Name } from '../../words/personal.tsx'
import { useLocale, useWords } from '../../words/use-words.ts'
import { endingWords } from './ending-keys.words.ts'
import { keysOfMakerQuery } from './queries.ts'

interface EndingKeysProps {
  /** Of the person who looks, with their role in it. */
  account: MyAccount
  /** Whose membership or role ends. */
  personId: string
  why: keyof typeof endingWords.fa.these
}

/** Nothing where none ends. Whoever may not read these keys ends no membership that has some. */
export function EndingKeys({ account, personId, why }: EndingKeysProps): ReactNode {
  const words = useWords(endingWords)
  const locale = useLocale()
  const mayRead = account.rights.includes('management_keys:read') && !account.is_limited
  const projectId = mayRead ? account.projects[0]?.id : undefined
  const keys = useQuery(keysOfMakerQuery(projectId, personId))
  if (projectId === undefined || keys.data?.length === 0) return null
  if (keys.error) return <Notice kind="attention">{words.unknown[why]}</Notice>
  if (!keys.data) return <Skeleton lines={1} />
  return (
    <Notice kind="attention">
      {words.these[why]}{' '}
      {keys.data.map(({ id, name }, at) => (
        <Fragment key={id}>
          {at > 0 && (locale === 'fa' ? '، ' : ', ')}
          <strong>
            <Name>{name}</Name>
          </strong>
        </Fragment>
      ))}
    </Notice>
  )
}
