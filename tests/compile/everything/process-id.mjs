// Loaded before the server: adds the number of its process to the file that STARTED names.
import { appendFileSync } from "node:fs";

appendFileSync(process.env.STARTED, `${process.pid}\n`);
