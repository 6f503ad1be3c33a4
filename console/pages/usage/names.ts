/** What the page calls by names of its own; it loads nothing, so that the words of the page can be read anywhere. */

/** By what spending is divided; each is also a filter, under the same name as on the page Requests. */
export const dimensions = ['model', 'key', 'person', 'customer', 'project', 'endpoint'] as const
export type Dimension = (typeof dimensions)[number]
