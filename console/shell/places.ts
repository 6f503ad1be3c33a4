import { comparable } from '../words/comparable.ts'

export interface AccountPlace {
  accountId: string
  accountName: string
  projects: readonly { projectId: string; name: string }[]
}

/** With more lines than this a list is searched rather than read. */
export const searchedLines = 10

/** How many lines the places are in a list. */
export const linesOf = (places: readonly AccountPlace[]): number =>
  places.reduce((sum, { projects }) => sum + 1 + projects.length, 0)

/** The places that have every word of the text: an account whose name has them all stays whole, others keep the projects that fit. */
export function foundPlaces(places: readonly AccountPlace[], text: string): AccountPlace[] {
  const words = comparable(text).split(/\s+/)
  const fits = (name: string): boolean => words.every((word) => comparable(name).includes(word))
  return places
    .map((place) =>
      fits(place.accountName)
        ? place
        : {
            ...place,
            projects: place.projects.filter(({ name }) => fits(`${place.accountName} ${name}`)),
          },
    )
    .filter((place) => place.projects.length > 0 || fits(place.accountName))
}
