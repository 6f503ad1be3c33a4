import { openServers, proveBounds } from '../../races/bounds.ts'

openServers(4)
proveBounds(200)
