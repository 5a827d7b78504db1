-- Apps that have problems of the first version of the grouping rules: their reports may belong to them still.
create index problem_hashes_of_version_1 on problem_hashes (app_id) where rule_version = 1;
