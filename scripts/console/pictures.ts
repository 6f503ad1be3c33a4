/** Which pictures of the console there are: of each page of console/shell/pages.ts, of what is below it, and of the pages before a session. */
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { ownRoot } from '#account/console-build'

/** Below the root of the repository. */
export const pictureFolder = 'docs/console'
/** The most bytes of a picture. */
export const pictureBytes = 60 * 1024

export interface View {
  locale: 'fa' | 'en'
  size: { width: number; height: number }
  /** At the end of the file's name. */
  suffix: string
  /** The tallest picture in pixels; what is below is not shown. */
  maxHeight: number
}

const wide = { size: { width: 1280, height: 720 }, suffix: '', maxHeight: 1_500 }

export const views: readonly View[] = [
  { locale: 'fa', ...wide },
  { locale: 'en', ...wide },
  { locale: 'fa', size: { width: 390, height: 844 }, suffix: '.phone', maxHeight: 1_800 },
]

export interface Shot {
  /** Begins the names of its files: `keys`, `keys-new`, `keys-id`. */
  name: string
  /** Of the page, with `$id` where it is that of one thing. */
  path: string
  isOfStranger: boolean
  /** Lower than that of the view, for a page whose rows would be too many bytes. */
  maxHeight?: number
}

/** Pages of lists that are full of text. */
const isDense = (name: string): boolean => name.startsWith('requests')

const ofStranger = ['sign-in', 'sign-up', 'recovery', 'link'].map((name) => ({
  ...{ name, path: `/${name}` },
  isOfStranger: true,
}))

/** Tabs of pages that have more to show than the first one. */
const ofTabs = [{ name: 'profile-sign-in', path: '/profile?tab=sign-in', isOfStranger: false }]

const nameOf = (page: string): string => page.replace(/[/$]+/g, '-').replace(/^-/, '') || 'home'

/** A page of console/shell/pages.ts, of which this program reads no more. */
export interface ConsolePage {
  name: string
  path: string
  /** What the role must have, such as `keys:read`. */
  needs?: string
  below?: readonly { path: string }[]
}

/** Every page of the console, in the order of the navigation. */
export async function pagesOf(): Promise<readonly ConsolePage[]> {
  // By a name that the compiler does not follow: the pages themselves are of another program.
  const file = pathToFileURL(path.join(ownRoot, 'console/shell/pages.ts')).href
  return ((await import(file)) as { pages: readonly ConsolePage[] }).pages
}

export async function shotsOf(): Promise<Shot[]> {
  const paths = (await pagesOf()).flatMap((page) => [
    page.path,
    ...(page.below ?? []).map(({ path }) => path),
  ])
  const ofPerson = paths.map((one): Shot => {
    const name = nameOf(one)
    return { name, path: one, isOfStranger: false, ...(isDense(name) && { maxHeight: 1_000 }) }
  })
  return [...ofStranger, ...ofPerson, ...ofTabs]
}

export const fileOf = ({ name }: Pick<Shot, 'name'>, { locale, suffix }: View): string =>
  `${name}.${locale}${suffix}.webp`
