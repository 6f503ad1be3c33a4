/** Every piece of the console in all its states; only for those who work on it. */
import { type ReactNode, useState } from 'react'
import { Card, Grid } from '../pieces/card.tsx'
import { Frame, PageHead } from '../shell/frame.tsx'
import Palette from '../shell/palette.tsx'
import { PersonMenu } from '../shell/person-menu.tsx'
import { ProjectSwitcher } from '../shell/project-switcher.tsx'
import { shellWords } from '../shell/shell.words.ts'
import { formatNumber } from '../words/digits.ts'
import { useLocale, useWords } from '../words/use-words.ts'
import { galleryWords } from './gallery.words.ts'
import { sections } from './sections.tsx'

const places = [
  {
    accountId: '1',
    accountName: 'نسیم',
    projects: [
      { projectId: '1', name: 'فروشگاه نسیم' },
      { projectId: '2', name: 'support-bot' },
    ],
  },
  { accountId: '2', accountName: 'Acme GmbH', projects: [{ projectId: '3', name: 'Website' }] },
]

export function Gallery(): ReactNode {
  const words = useWords(galleryWords)
  const shell = useWords(shellWords)
  const locale = useLocale()
  const [path, setPath] = useState('/')
  const [projectId, setProjectId] = useState('1')
  const [hasPalette, setPalette] = useState(false)
  const names = Object.entries(words.sections)
  const links = names.map(([name, title]) => ({ path: `/${name}`, title }))
  const groups = [
    { name: 'main', title: undefined, links: links.slice(0, 2) },
    { name: 'build', title: shell.groups.build, links: links.slice(2, 6) },
    { name: 'account', title: shell.groups.account, links: links.slice(6) },
  ]
  const go = (to: string): void => {
    setPath(to)
    document.getElementById(to.slice(1))?.scrollIntoView()
  }
  return (
    <Frame
      groups={groups}
      path={path}
      onGo={go}
      credit={formatNumber(locale, 18_420)}
      onPalette={() => setPalette(true)}
      switcher={<ProjectSwitcher places={places} projectId={projectId} onChoose={setProjectId} />}
      person={
        <PersonMenu
          name={locale === 'fa' ? 'سارا رضایی' : 'Sara Rezaei'}
          role={shell.roles.owner}
          onGo={() => {}}
          onSignOut={() => {}}
        />
      }
    >
      <PageHead title={words.title} lead={words.lead} />
      <Grid>
        {names.map(([name, title]) => (
          <div key={name} id={name}>
            <Card title={title}>{sections[name as keyof typeof sections]()}</Card>
          </div>
        ))}
      </Grid>
      {hasPalette && (
        <Palette
          commands={links.map((link) => ({
            name: link.path.slice(1),
            title: link.title,
            run: () => go(link.path),
          }))}
          onClose={() => setPalette(false)}
        />
      )}
    </Frame>
  )
}
